#include <algorithm>

#include <QApplication>
#include <QDir>
#include <QLineEdit>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTest>
#include <QTimer>

#include "app/data/data_page.h"
#include "app/data/data_set_panel.h"
#include "app/data/fact_table.h"
#include "app/data/prepare_form.h"
#include "app/data/prepare_panel.h"
#include "app/workspace/message_bar.h"
#include "app/workspace/page_frame.h"
#include "tests/gui/page_fixture.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

QWidget* fieldNamed(QWidget& parent, const QString& name)
{
    for (auto* field : parent.findChildren<QLineEdit*>()) {
        if (field->accessibleName() == name)
            return field;
    }
    return nullptr;
}

/// Whether a field of that name can be seen.
bool shows(const QWidget& parent, const QString& name)
{
    return std::ranges::any_of(parent.findChildren<QWidget*>(), [&](const QWidget* field) {
        return field->accessibleName() == name && field->isVisible();
    });
}

} // namespace

/// Prepares data sets as a user does, on this machine, through the real agent.
class TestDataPlace : public QObject {
    Q_OBJECT

private slots:
    void init() { m_desk.start(); }
    void cleanup() { m_desk.end(); }

    void everyOptionHasAFieldThatSetsIt()
    {
        auto& page = m_desk.goTo<DataPage>();
        click(page, "Prepare…");
        auto* form = page.findChild<PrepareForm*>();
        form->setHosts({"localhost", "gpu-03"});
        PrepareRequest options;
        options.host = "gpu-03";
        options.readers = {"localhost", "gpu-03"};
        options.dumps = {"/d/a.xml", "gpu-03:/d/b.xml"};
        options.format = CorpusFormat::JsonLines;
        options.keepHeadings = options.keepLists = options.cased = options.instances.wholeWords = true;
        options.punkt = "/d/punkt";
        options.vocabulary = "/d/vocab.txt";
        options.profile = "google-py";
        options.out = "/d/set";
        options.shapes = {{128, 20}, {512, 80}};
        options.instances.objective = Objective::Masked;
        options.instances.nextSentence = NextSentence::Swap;
        options.dupeFactor = 7;
        options.instances.seed = 99;
        options.trainingShards = 6;
        options.testShards = 3;
        options.testFraction = 0.125;
        options.corpus = "wiki";
        options.extra = {true, true, true};
        options.memoryBytes = 300 * kMiB;
        options.threads = 3;
        form->setRequest(options);
        QCOMPARE(form->request(), options);
        options.shapes = {{64, 9}};
        options.vocabulary.clear();
        options.trainVocabulary = 4000;
        form->setRequest(options);
        QCOMPARE(form->request(), options);
        form->setRequest({});
        QCOMPARE(form->request(), PrepareRequest{});
    }

    void rowsOfRunningTextHaveALengthAndNoMasks()
    {
        auto& page = m_desk.goTo<DataPage>();
        click(page, "Prepare…");
        auto* form = page.findChild<PrepareForm*>();
        PrepareRequest options = someOptions();
        options.instances.objective = Objective::Tokens;
        options.shapes = {{1024, 20}};
        form->setRequest(options);
        QCOMPARE(form->request(), options);
        QVERIFY(shows(*form, "Rows"));
        QVERIFY(!shows(*form, "Masked positions"));
        QVERIFY(!shows(*form, "Phase"));
        QVERIFY(labelContaining(*form, "documents follow each other without padding"));
    }

    void aProblemBehindMoreOptionsIsShown()
    {
        auto& page = m_desk.goTo<DataPage>();
        click(page, "Prepare…");
        auto* form = page.findChild<PrepareForm*>();
        PrepareRequest options = someOptions();
        options.corpus = "training";
        form->setRequest(options);
        QVERIFY(!fieldNamed(*form, "Shard prefix")->isVisible());
        click(*form, "Prepare");
        QVERIFY(fieldNamed(*form, "Shard prefix")->isVisible());
        QVERIFY(fieldNamed(*form, "Shard prefix")->hasFocus());
    }

    void theFormSaysAllThatIsMissing()
    {
        auto& page = m_desk.goTo<DataPage>();
        click(page, "Prepare…");
        auto* form = page.findChild<PrepareForm*>();
        QSignalSpy requested(form, &PrepareForm::prepareRequested);
        click(*form, "Prepare");
        QCOMPARE(requested.count(), 0);
        const auto errors = [form] {
            return std::ranges::count_if(form->findChildren<QLabel*>(), [](const QLabel* label) {
                return label->isVisible() && label->property("role") == "error";
            });
        };
        QCOMPARE(errors(), 3); // dumps, vocabulary, output
        form->findChild<QPlainTextEdit*>()->setPlainText("/d/a.xml");
        QCOMPARE(errors(), 2);
    }

    void aDumpBecomesADataSetWithSamples()
    {
        if (!nodeProgramsAreBuilt())
            QSKIP("the node executables are not built: nothing to prepare with");
        const QString dump = writeDump();
        auto& page = m_desk.goTo<DataPage>();
        click(page, "Prepare…");
        auto* form = page.findChild<PrepareForm*>();
        PrepareRequest options;
        options.dumps = {dump.toStdString()};
        options.trainVocabulary = 3000; // more than this text gives
        options.out = m_desk.path("set").toStdString();
        options.trainingShards = 2;
        options.threads = 1;
        form->setRequest(options);
        click(*form, "Prepare");
        AWAIT(m_desk.session().prepareJob().state() == PrepareJob::State::Idle);
        auto* messages = page.findChild<PageFrame*>()->messageBar();
        QVERIFY2(m_desk.session().dataSets().rowCount() == 1, qPrintable(messages->text()));
        QVERIFY(m_desk.session().dataSets().at(0).rows > 0);
        QVERIFY2(messages->text().contains("not 3000"), qPrintable(messages->text()));
        AWAIT_EQUAL(m_desk.session().dataSets().at(0).check, DataSetEntry::Check::Verified);

        auto* panel = page.findChild<DataSetPanel*>();
        QCOMPARE(panel->tabs()->count(), 4);
        for (auto* table :
             panel->findChildren<FactTable*>()) // statistics, what was left out, settings, shards
            QVERIFY2(table->model()->rowCount() > 0, qPrintable(table->accessibleName()));
        click(page, "Use in a run");
        QCOMPARE(m_desk.window().currentPage()->title(), "Design");
        QCOMPARE(QString::fromStdString(m_desk.session().document().spec().dataset.path), m_desk.path("set"));
    }

    void aPreparationIsFoundAgainWhenTheWindowOpens()
    {
        if (!nodeProgramsAreBuilt())
            QSKIP("the node executables are not built: nothing to prepare with");
        useSlowPrepare();
        m_desk.session().prepareJob().start(someOptions());
        AWAIT_EQUAL(m_desk.session().prepareJob().state(), PrepareJob::State::Running);
        m_desk.open();
        auto& job = m_desk.session().prepareJob();
        QCOMPARE(job.state(), PrepareJob::State::Running);
        QCOMPARE(job.request(), someOptions());
        auto& page = m_desk.goTo<DataPage>();
        QVERIFY(page.findChild<PreparePanel*>()->isVisible());
        QVERIFY(QFile(m_desk.path("go on")).open(QIODevice::WriteOnly));
        AWAIT_EQUAL(m_desk.session().dataSets().rowCount(), 1);
        QCOMPARE(m_desk.session().dataSets().at(0).tokens, 527'681u);
        AWAIT_EQUAL(job.state(), PrepareJob::State::Idle);
        m_desk.open();
        QCOMPARE(m_desk.session().prepareJob().state(), PrepareJob::State::Idle); // it is over
    }

    void aFailedPreparationIsSaidInThePlace()
    {
        if (!nodeProgramsAreBuilt())
            QSKIP("the node executables are not built: nothing to prepare with");
        auto& page = m_desk.goTo<DataPage>();
        PrepareRequest options;
        options.dumps = {m_desk.path("missing.xml").toStdString()};
        options.trainVocabulary = 30522;
        options.out = m_desk.path("set").toStdString();
        m_desk.session().prepareJob().start(options);
        auto* messages = page.findChild<PageFrame*>()->messageBar();
        AWAIT(messages->isVisible());
        QVERIFY2(messages->text().contains("missing.xml"), qPrintable(messages->text()));
        QCOMPARE(m_desk.session().dataSets().rowCount(), 0);
        QVERIFY(!page.findChild<PreparePanel*>()->isVisible());
    }

    void asksBeforeItClosesWhileSomethingIsStarting()
    {
        if (!nodeProgramsAreBuilt())
            QSKIP("the node executables are not built: nothing to prepare with");
        useSlowPrepare();
        m_desk.session().prepareJob().start(someOptions());
        QVERIFY(m_desk.session().runs().isStarting());
        QTimer::singleShot(0, this, [] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            QVERIFY(box);
            QVERIFY2(box->text().contains("is being started"), qPrintable(box->text()));
            QTest::keyClick(box, Qt::Key_Escape);
        });
        QVERIFY(!m_desk.window().close());
        AWAIT(!m_desk.session().runs().isStarting());
        QVERIFY(QFile(m_desk.path("go on")).open(QIODevice::WriteOnly));
        QVERIFY(m_desk.window().close());
    }

private:
    PrepareRequest someOptions() const
    {
        PrepareRequest options;
        options.dumps = {m_desk.path("dump.xml").toStdString()};
        options.trainVocabulary = 30522;
        options.out = m_desk.path("set").toStdString();
        return options;
    }

    /// A preparation that waits for the file "go on" and then publishes a manifest.
    void useSlowPrepare()
    {
        QVERIFY(QDir(m_desk.path()).mkpath("bin"));
        QVERIFY(QFile::link(qEnvironmentVariable("TRAINYARD_BIN") + "/trainyard-agent",
                            m_desk.path("bin/trainyard-agent")));
        QFile script(m_desk.path("bin/trainyard-prepare"));
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write("#!/bin/sh\nwhile ! test -e '" + m_desk.path("go on").toUtf8() +
                     "'; do sleep 0.1; done\nmkdir '" + m_desk.path("set").toUtf8() + "'\ncat > '" +
                     m_desk.path("set/manifest.json").toUtf8() + "' <<END\n" +
                     R"({"version":1,"sequence_length":128,"max_predictions":20,"vocabulary_size":300,
                        "vocabulary_sha256":"0","statistics":{"documents":105,"tokens":527681},"shards":[]})" +
                     "\nEND\n");
        script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        m_desk.usePrograms(m_desk.path("bin"));
    }

    /// A small export: enough articles for two training shards and a test shard.
    QString writeDump()
    {
        const QString path = m_desk.path("dump.xml");
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly))
            return {};
        file.write("<mediawiki xmlns=\"http://www.mediawiki.org/xml/export-0.10/\" version=\"0.10\" "
                   "xml:lang=\"en\">\n");
        for (int page = 1; page <= 60; ++page) {
            file.write(
                QString("<page><title>Engine %1</title><ns>0</ns><id>%1</id><revision><id>%1</id><text>")
                    .arg(page)
                    .toUtf8());
            for (int sentence = 1; sentence <= 12; ++sentence)
                file.write(
                    QString("The engine number %1 carried %2 wagons over the long bridge near the old town. ")
                        .arg(page * 7)
                        .arg(sentence * page)
                        .toUtf8());
            file.write("</text></revision></page>\n");
        }
        file.write("</mediawiki>\n");
        return path;
    }

    PageFixture m_desk;
};

QTEST_MAIN(TestDataPlace)
#include "tst_data_place.moc"
