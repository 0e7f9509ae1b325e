#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <optional>

#include "engine/base/file.h"
#include "remote/launch/run_folder_fetch.h"
#include "tests/support/patience.h"

using namespace trainyard;
namespace fs = std::filesystem;

namespace {

const QString kRun = QStringLiteral("20260101T000000Z-export-00aa");

std::string manyBytes(std::size_t count)
{
    std::string bytes(count, '\0');
    for (std::size_t at = 0; at < count; ++at)
        bytes[at] = static_cast<char>(at * 2654435761u >> 13);
    return bytes;
}

} // namespace

/// From the agent of this machine.
class TestRunFolderFetch : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        qputenv("TRAINYARD_BIN", TRAINYARD_BIN_DIR);
        TargetOptions options;
        options.agentRoot = m_dir->filePath("agent");
        m_pool = std::make_unique<TargetPool>(options);
        QVERIFY(QDir().mkpath(there()));
        QVERIFY(writeFileAtomically(at("spec.json"), "{}").ok());
    }
    void cleanup()
    {
        m_pool.reset();
        qunsetenv("TRAINYARD_BIN");
    }

    void bringsEveryFile()
    {
        const std::string large = manyBytes(9'000'001); // several times what is asked for ahead
        write("model.safetensors", large);
        write("config.json", "{}\n");
        write("empty", "");
        qint64 last = 0, total = 0;
        const Status status = fetch([&](RunFolderFetch& fetch) {
            connect(&fetch, &RunFolderFetch::progress, this, [&](qint64 bytes, qint64 all) {
                QVERIFY(bytes >= last);
                last = bytes;
                total = all;
            });
        });
        QVERIFY2(status.ok(), status.ok() ? "" : status.error().text().c_str());
        QVERIFY(readFile(destination() / "model.safetensors").value() == large);
        QCOMPARE(readFile(destination() / "config.json").value(), std::string("{}\n"));
        QVERIFY(readFile(destination() / "empty").value().empty());
        QCOMPARE(total, qint64(large.size() + 3));
        QCOMPARE(last, total);
        QCOMPARE(here(), QStringList{"fetched"});
    }

    void refusesAnExistingFolder()
    {
        write("config.json", "{}");
        QVERIFY(fs::create_directories(destination()));
        const Status status = fetch();
        QCOMPARE(status.error().kind, ErrorKind::BadInput);
        QVERIFY(fs::is_empty(destination()));
        QCOMPARE(here(), QStringList{"fetched"});
    }

    void failsWithoutFiles_data()
    {
        QTest::addColumn<bool>("hasFolder");
        QTest::addRow("empty") << true;
        QTest::addRow("missing") << false;
    }
    void failsWithoutFiles()
    {
        QFETCH(bool, hasFolder);
        if (!hasFolder)
            QVERIFY(QDir(there()).removeRecursively());
        QVERIFY(!fetch().ok());
        QVERIFY(here().isEmpty());
    }

    void takesNoFolders()
    {
        write("config.json", "{}");
        QVERIFY(QDir(there()).mkdir("more"));
        QVERIFY(!fetch().ok());
        QVERIFY(here().isEmpty());
    }

    void namesTheFileThatIsTruncatedMeanwhile()
    {
        write("model.safetensors", manyBytes(20'000'000)); // several times what is asked for ahead
        const Status status = fetch([&](RunFolderFetch& fetch) {
            connect(&fetch, &RunFolderFetch::progress, this,
                    [&] { fs::resize_file(fs::path(there().toStdString()) / "model.safetensors", 1000); });
        });
        QVERIFY(!status.ok());
        QCOMPARE(status.error().message,
                 std::string("model.safetensors was truncated on the host during the download"));
        QVERIFY(here().isEmpty());
    }

    void leavesNothingWhenItIsDropped()
    {
        write("model.safetensors", manyBytes(20'000'000));
        auto fetching = std::make_unique<RunFolderFetch>(plan(), *m_pool);
        bool hasBegun = false;
        connect(fetching.get(), &RunFolderFetch::progress, this, [&] { hasBegun = true; });
        fetching->start();
        AWAIT(hasBegun);
        QCOMPARE(here().size(), 1);
        fetching.reset();
        QVERIFY(here().isEmpty());
    }

private:
    QString there() const { return m_dir->filePath("agent/runs/" + kRun + "/model"); }
    fs::path at(const char* file) const { return fs::path(there().toStdString()).parent_path() / file; }
    fs::path destination() const { return m_dir->filePath("here/fetched").toStdString(); }
    QStringList here() const
    {
        return QDir(m_dir->filePath("here")).entryList(QDir::AllEntries | QDir::NoDotAndDotDot);
    }
    RunFolderFetch::Plan plan() const { return {"localhost", kRun, "model", destination()}; }

    void write(const char* name, const std::string& content) const
    {
        QVERIFY(writeFileAtomically(fs::path(there().toStdString()) / name, content).ok());
    }

    Status fetch(const std::function<void(RunFolderFetch&)>& watch = {})
    {
        RunFolderFetch fetching(plan(), *m_pool);
        std::optional<Status> result;
        connect(&fetching, &RunFolderFetch::finished, this, [&](const Status& status) { result = status; });
        if (watch)
            watch(fetching);
        fetching.start();
        [&] { AWAIT(result.has_value()); }();
        return result.value_or(failed("no answer"));
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<TargetPool> m_pool;
};

QTEST_GUILESS_MAIN(TestRunFolderFetch)
#include "tst_run_folder_fetch.moc"
