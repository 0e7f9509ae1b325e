#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include "app/share/share_folder.h"
#include "tests/support/file_content.h"
#include "tests/support/sample_run/sample_run.h"

using namespace trainyard;
using trainyard::support::contentOf;

class TestShareFolder : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void hasThePageAndEveryCurve()
    {
        const RecordedRun run = recorded({});
        QVERIFY(share({}).value().write({shared(run)}).ok());
        for (const char* file :
             {"index.html", "viewer.js", "style.css", "data/index.js", "data/0.js", "data.json"})
            QVERIFY2(QFile::exists(page(file)), file);
        const QJsonObject index = indexOf("trainyard.index(");
        const QJsonObject described = index["runs"].toArray().at(0).toObject();
        QCOMPARE(described["name"].toString(), run.facts.name());
        QVERIFY(described["curves"].toArray().size() > 5);
        QVERIFY(contentOf(page("data/0.js")).startsWith("trainyard.run(0,{\"loss\":{\"stride\":1,"));
    }

    void lastValuesAreThoseOfTheJournal()
    {
        const RecordedRun run = recorded({});
        QVERIFY(share({}).value().write({shared(run)}).ok());
        const QJsonObject data = QJsonDocument::fromJson(contentOf(page("data.json"))).object();
        const QJsonObject metrics = data["runs"].toArray().at(0)["metrics"].toObject();
        QCOMPARE(metrics["loss"].toDouble(), run.series.steps().last(StepColumn::Loss));
        QCOMPARE(metrics["learning_rate"].toDouble(), run.series.steps().last(StepColumn::LearningRate));
    }

    void leavesPlacesOutWhereThatIsWanted()
    {
        support::SampleRun sample;
        sample.hosts = {"secret-host-7", "secret-host-8"};
        RecordedRun run = recorded(sample);
        SharedRun one = shared(run);
        one.entry.notes = "ran from /home/ann/secret-folder on secret-host-7";
        QVERIFY(share({true, false}).value().write({one}).ok());
        QDir all(page("data"));
        for (const QFileInfo& file : all.entryInfoList(QDir::Files))
            QVERIFY2(!contentOf(file.filePath()).contains("secret-"), qPrintable(file.fileName()));
        QVERIFY(contentOf(page("data/index.js")).contains("ran from"));
        QVERIFY(!contentOf(page("data.json")).contains("secret-"));
        one.entry.notes = "secret-host-7";
        QVERIFY(share({}).value().write({one}).ok());
        QVERIFY(contentOf(page("data/index.js")).contains("secret-host-7"));
    }

    void writesOnlyWhatHasChanged()
    {
        support::SampleRun sample;
        sample.steps = sample.reached = 9000;
        const RecordedRun run = recorded(sample);
        ShareFolder folder = share({false, true}).value();
        QVERIFY(folder.write({shared(run)}).ok());
        QVERIFY(QFile::exists(page("data/0-0-2.js")));
        QVERIFY(QFile::remove(page("data/0-0-0.js")) && QFile::remove(page("viewer.js")));
        QVERIFY(folder.write({shared(run)}).ok());
        QVERIFY(!QFile::exists(page("data/0-0-0.js")));
        QVERIFY(share({}).value().write({shared(run)}).ok()); // another time everything is there again
        QVERIFY(QFile::exists(page("data/0-0-0.js")) && QFile::exists(page("viewer.js")));
    }

    void saysWhetherItIsLive()
    {
        const RecordedRun run = recorded({});
        ShareFolder folder = share({false, true}).value();
        QVERIFY(folder.write({shared(run)}).ok());
        QVERIFY(indexOf("trainyard.index(")["live"].toBool());
        folder.setLive(false);
        QVERIFY(folder.write({shared(run)}).ok());
        QVERIFY(!indexOf("trainyard.index(")["live"].toBool(true));
    }

    void refusesAFolderOfSomethingElse()
    {
        QVERIFY(QDir().mkpath(page("")));
        QFile other(page("thesis.tex"));
        QVERIFY(other.open(QIODevice::WriteOnly));
        const auto refused = share({});
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().kind, ErrorKind::BadInput);
        QVERIFY(!QFile::exists(page("index.html")));
    }

private:
    QString page(const QString& file) const { return m_folder->filePath("page/" + file); }

    Result<ShareFolder> share(const ShareFolder::Options& options) const
    {
        return ShareFolder::open(m_folder->filePath("page").toStdString(), options);
    }

    RecordedRun recorded(const support::SampleRun& sample) const
    {
        return readRunFolder(support::writeSampleRun(m_folder->path(), sample)).value();
    }

    static SharedRun shared(const RecordedRun& run)
    {
        RunEntry entry;
        updateEntry(entry, run.facts, run.series);
        return {run.facts, run.series, entry};
    }

    QJsonObject indexOf(const QByteArray& call) const
    {
        const QByteArray script = contentOf(page("data/index.js"));
        return QJsonDocument::fromJson(script.mid(call.size(), script.size() - call.size() - 3)).object();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestShareFolder)
#include "tst_share_folder.moc"
