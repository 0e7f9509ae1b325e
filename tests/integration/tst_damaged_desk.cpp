#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTest>

#include "tests/integration/cli_fixture.h"
#include "tests/integration/condition_table.h"
#include "tests/support/file_content.h"
#include "tests/support/patience.h"

using namespace trainyard::test;
using trainyard::support::contentOf;

namespace {

constexpr int kBadInputStatus = 2;
constexpr int kRefusedStatus = 3;

/// What hosts.json is found to be.
struct FoundHosts {
    const char* name;
    std::function<bool(const QString& file)> make;
    int status = kBadInputStatus;
};

auto holding(const QByteArray& content)
{
    return [content](const QString& path) {
        QFile file(path);
        return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
    };
}

const QList<FoundHosts>& foundHosts()
{
    const QByteArray whole = R"({"version": 1, "hosts": ["gpu-01", "gpu-02"]})";
    static const QList<FoundHosts> kFound{
        {"empty", holding({})},
        {"cut", holding(whole.left(whole.size() / 2))},
        {"cut by its last byte", holding(whole.chopped(1))},
        {"garbage", holding(QByteArray("\xff\xfe\x00\x9f\x80{\"", 7).repeated(100))},
        {"zeros, as after a power cut", holding(QByteArray(4096, '\0'))},
        {"of another form", holding(R"(["gpu-01"])")},
        {"a number for a host", holding(R"({"version": 1, "hosts": ["gpu-01", 7]})")},
        {"100,000 lists deep", holding(QByteArray("[").repeated(100'000))},
        {"newer", holding(R"({"version": 2, "hosts": {"gpu-01": {}}})"), kRefusedStatus},
        {"folder", [](const QString& file) { return QDir().mkpath(file); }, kRefusedStatus},
        {"link to itself", [](const QString& file) { return QFile::link(file, file); }, kRefusedStatus}};
    return kFound;
}

/// All that read the list of hosts and do not merely complete a word.
const QList<QStringList>& hostCommands()
{
    static const QList<QStringList> kCommands{{"hosts", "list"},
                                              {"hosts", "list", "--json"},
                                              {"hosts", "check"},
                                              {"hosts", "check", "--json"},
                                              {"hosts", "check", "--links"},
                                              {"hosts", "add", "gpu-03"},
                                              {"hosts", "remove", "gpu-01"}};
    return kCommands;
}

} // namespace

// Files of the desk that are damaged, and what a command that was killed has left of them.
class TestDamagedDesk : public QObject {
    Q_OBJECT

private slots:
    void init() { QVERIFY(QDir().mkpath(m_cli.path("desk"))); }
    void cleanup() { QVERIFY(QDir(m_cli.path("desk")).removeRecursively()); }

    void everyCommandThatNeedsTheHostsSaysWhatIsWrongWithTheirFile_data() { addFoundHosts(); }
    void everyCommandThatNeedsTheHostsSaysWhatIsWrongWithTheirFile()
    {
        const FoundHosts& found = makeFound();
        const QByteArray before = contentOf(hosts());
        for (const QStringList& command : hostCommands()) {
            const CliResult result = m_cli.run(command);
            m_table.add(command.join(' '), found.name, QString::number(result.status));
            const QString said = command.join(' ') + ": " + result.err;
            QVERIFY2(result.status == found.status, qPrintable(said));
            QVERIFY2(result.err.startsWith("trainyard: ") && result.err.contains(hosts()), qPrintable(said));
            QVERIFY2(result.err.trimmed().count('\n') == 0 && result.err.size() < 1000, qPrintable(said));
            QVERIFY2(!result.err.contains("json.exception"), qPrintable(said));
            QCOMPARE(result.out, QString());
        }
        QCOMPARE(files(), QStringList{"hosts.json"});
        QVERIFY(contentOf(hosts()) == before);
    }

    void aCommandThatDoesNotNeedTheHostsGoesOn_data() { addFoundHosts(); }
    void aCommandThatDoesNotNeedTheHostsGoesOn()
    {
        makeFound();
        for (const QStringList& command :
             {QStringList{"runs", "--recorded"}, {"complete", "hosts", "remove", ""}, {"hosts", "--help"}}) {
            const CliResult result = m_cli.run(command);
            QVERIFY2(result.status == 0, qPrintable(command.join(' ') + ": " + result.err));
            QCOMPARE(result.err, QString());
        }
    }

    /// It is killed while it waits for the history: its folders are there, its entries are not.
    void anImportThatIsKilledIsWholeAfterTheNextStart()
    {
        const QString csv = m_cli.write("curve.csv", "step,loss\n1,9.5\n2,9.25\n");
        QCOMPARE(m_cli.run({"runs", "--recorded"}).status, 0); // makes the history
        {
            auto database = QSqlDatabase::addDatabase("QSQLITE", "other program");
            database.setDatabaseName(m_cli.path("desk/history.db"));
            QVERIFY(database.open() && QSqlQuery(database).exec("BEGIN IMMEDIATE"));
            const auto import = m_cli.start({"import", csv, "--tag", "paper"});
            AWAIT(!QDir(m_cli.path("desk/runs")).isEmpty(QDir::Dirs | QDir::NoDotAndDotDot));
            import->kill();
            QVERIFY(import->waitForFinished());
            QCOMPARE(import->exitStatus(), QProcess::CrashExit);
        }
        QSqlDatabase::removeDatabase("other program");
        const CliResult listed = m_cli.run({"runs", "--recorded", "--json"});
        QCOMPARE(listed.status, 0);
        const QJsonArray runs = QJsonDocument::fromJson(listed.out.toUtf8()).array();
        QCOMPARE(runs.size(), 1);
        QCOMPARE(runs[0]["name"].toString(), QString("curve"));
        QCOMPARE(runs[0]["tags"].toArray(), QJsonArray{"paper"});
        QCOMPARE(QDir(m_cli.path("desk/runs"))
                     .entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot)
                     .size(),
                 1);
    }

private:
    static void addFoundHosts()
    {
        QTest::addColumn<int>("index");
        for (int i = 0; i < foundHosts().size(); ++i)
            QTest::addRow("%s", foundHosts()[i].name) << i;
    }
    const FoundHosts& makeFound() const
    {
        QFETCH(int, index);
        [&] { QVERIFY(foundHosts()[index].make(hosts())); }();
        return foundHosts()[index];
    }
    QString hosts() const { return m_cli.path("desk/hosts.json"); }
    QStringList files() const
    {
        return QDir(m_cli.path("desk"))
            .entryList({"hosts*"}, QDir::AllEntries | QDir::System | QDir::Hidden | QDir::NoDotAndDotDot);
    }

    CliFixture m_cli;
    ConditionTable m_table{"hosts.json"};
};

QTEST_GUILESS_MAIN(TestDamagedDesk)
#include "tst_damaged_desk.moc"
