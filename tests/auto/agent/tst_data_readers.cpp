#include <QTemporaryDir>
#include <QTest>

#include "engine/base/file.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/serve/data_readers.h"

using namespace trainyard;
using namespace trainyard::agent;
namespace fs = std::filesystem;

namespace {

const std::string kSet = "wiki-0f3a9c21b7de";
const std::string kEarly = "20261121T091505Z-bert-0001";
const std::string kLate = "20261122T091505Z-bert-0002";

} // namespace

/// A data set that a run reads is not removed.
class TestDataReaders : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        fs::create_directories(root() / "data" / kSet);
        fs::create_directory_symlink(root() / "data", root() / "link");
    }

    void findsThemHoweverThePathIsWritten_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("text"); // ROOT: of the agent
        QTest::addColumn<bool>("reads");
        const QString spec = R"({"phases": [{"dataset": {"path": "%1"}}]})";
        QTest::addRow("plain") << "spec.json" << spec.arg("ROOT/data/wiki-0f3a9c21b7de") << true;
        QTest::addRow("a slash at the end")
            << "spec.json" << spec.arg("ROOT/data/wiki-0f3a9c21b7de/") << true;
        QTest::addRow("two slashes") << "spec.json" << spec.arg("ROOT//data//wiki-0f3a9c21b7de") << true;
        QTest::addRow("through a link") << "spec.json" << spec.arg("ROOT/link/wiki-0f3a9c21b7de") << true;
        QTest::addRow("an argument") << "job.json"
                                     << R"({"arguments": ["verify", "ROOT/data/wiki-0f3a9c21b7de"]})" << true;
        QTest::addRow("an option") << "job.json"
                                   << R"({"arguments": ["--data=ROOT/data/wiki-0f3a9c21b7de"]})" << true;
        QTest::addRow("another") << "spec.json" << spec.arg("ROOT/data/books-0123456789ab") << false;
        QTest::addRow("the folder of all") << "spec.json" << spec.arg("ROOT/data") << false;
        QTest::addRow("elsewhere") << "spec.json" << spec.arg("/data/wiki-0f3a9c21b7de") << false;
        QTest::addRow("damaged") << "spec.json"
                                 << "{" << false;
    }
    void findsThemHoweverThePathIsWritten()
    {
        QFETCH(QString, file);
        QFETCH(QString, text);
        QFETCH(bool, reads);
        put(kEarly, file.toStdString(), text.replace("ROOT", QString::fromStdString(root().string())));
        QCOMPARE(dataReaders(root()).contains(kSet), reads);
    }

    void namesTheNewestAndTheActiveOne()
    {
        put(kEarly, "spec.json", reading());
        put(kLate, "spec.json", reading());
        fs::create_directories(root() / "runs" / kLate / "attempts" / "1"); // it was launched, and is over
        const DataReaders found = dataReaders(root())[kSet];
        QCOMPARE(found.newest, kLate);
        QCOMPARE(found.active, kEarly); // between its creation and its launch
    }

    void aRunThatWasNeverLaunchedIsNotActiveForEver()
    {
        put(kEarly, "spec.json", reading());
        fs::last_write_time(root() / "runs" / kEarly,
                            fs::file_time_type::clock::now() - std::chrono::hours(2));
        const DataReaders found = dataReaders(root())[kSet];
        QCOMPARE(found.newest, kEarly);
        QCOMPARE(found.active, std::string());
    }

private:
    fs::path root() const { return m_dir->filePath("agent").toStdString(); }
    QString reading() const
    {
        return QString("{\"dataset\": {\"path\": \"%1\"}}")
            .arg(QString::fromStdString((root() / "data" / kSet).string()));
    }
    void put(const std::string& run, const std::string& file, const QString& text)
    {
        fs::create_directories(root() / "runs" / run);
        QVERIFY(writeFileAtomically(root() / "runs" / run / file, text.toStdString()).ok());
    }

    std::unique_ptr<QTemporaryDir> m_dir;
};

QTEST_GUILESS_MAIN(TestDataReaders)
#include "tst_data_readers.moc"
