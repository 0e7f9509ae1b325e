#include <QProcess>
#include <QTest>

#include "app/data/model/prepare_options.h"
#include "tests/integration/cli_fixture.h"

using namespace trainyard;
using namespace trainyard::test;

Q_DECLARE_METATYPE(trainyard::PrepareOptions)

/// What the window's form takes and what the program takes must be the same: the halves share no code.
class TestPrepareRules : public QObject {
    Q_OBJECT

private slots:
    void theFormAndTheProgramAgree_data()
    {
        QTest::addColumn<PrepareOptions>("options");
        QTest::addColumn<bool>("accepted");
        const auto row = [this](const char* name, auto change, bool accepted) {
            PrepareOptions options;
            options.dumps = {"/nothing/dump.xml"};
            options.vocabularyFile = "/nothing/vocab.txt";
            options.outputFolder = m_cli.path("out");
            change(options);
            QTest::addRow("%s", name) << options << accepted;
        };
        row(
            "as it comes", [](PrepareOptions&) {}, true);
        row(
            "no shard", [](PrepareOptions& o) { o.shards = 0; }, false);
        row(
            "a lone shard", [](PrepareOptions& o) { o.shards = 1; }, false);
        row(
            "two shards", [](PrepareOptions& o) { o.shards = 2; }, true);
        row(
            "too many shards", [](PrepareOptions& o) { o.shards = 65537; }, false);
        row(
            "short rows",
            [](PrepareOptions& o) {
                o.shapes = {{7, 1}};
            },
            false);
        row(
            "shortest rows",
            [](PrepareOptions& o) {
                o.shapes = {{8, 1}};
            },
            true);
        row(
            "longest rows",
            [](PrepareOptions& o) {
                o.shapes = {{65536, 20}};
            },
            true);
        row(
            "long rows",
            [](PrepareOptions& o) {
                o.shapes = {{65537, 20}};
            },
            false);
        row(
            "no mask",
            [](PrepareOptions& o) {
                o.shapes = {{128, 0}};
            },
            false);
        row(
            "most masks",
            [](PrepareOptions& o) {
                o.shapes = {{128, 125}};
            },
            true);
        row(
            "too many masks",
            [](PrepareOptions& o) {
                o.shapes = {{128, 126}};
            },
            false);
        row(
            "no pass", [](PrepareOptions& o) { o.dupeFactor = 0; }, false);
        row(
            "too many passes", [](PrepareOptions& o) { o.dupeFactor = 1001; }, false);
        row(
            "both phases",
            [](PrepareOptions& o) {
                o.shapes = {{128, 20}, {512, 80}};
            },
            true);
        row(
            "the same rows twice",
            [](PrepareOptions& o) {
                o.shapes = {{128, 20}, {128, 20}};
            },
            false);
        row(
            "no test shard", [](PrepareOptions& o) { o.testShards = 0; }, false);
        row(
            "nothing held out", [](PrepareOptions& o) { o.testFraction = 0; }, true);
        row(
            "all held out", [](PrepareOptions& o) { o.testFraction = 1; }, false);
        row(
            "name of both kinds", [](PrepareOptions& o) { o.shardName = "wiki_test"; }, false);
        row(
            "name that leads out", [](PrepareOptions& o) { o.shardName = "../wiki"; }, false);
        row(
            "least memory", [](PrepareOptions& o) { o.memory = 128 * kMiB; }, true);
        row(
            "too little memory", [](PrepareOptions& o) { o.memory = 128 * kMiB - 1; }, false);
        row(
            "every choice",
            [](PrepareOptions& o) {
                o.format = "jsonl";
                o.profile = "google-py";
                o.cased = o.megatron = o.mds = true;
            },
            true);
        row(
            "one thread per core", [](PrepareOptions& o) { o.threads = 0; }, true);
        row(
            "too many threads", [](PrepareOptions& o) { o.threads = 1025; }, false);
    }

    /// The program gets as far as the dump, which is not there, exactly when the numbers are fine.
    void theFormAndTheProgramAgree()
    {
        QFETCH(PrepareOptions, options);
        QFETCH(bool, accepted);
        QCOMPARE(validate(options).empty(), accepted);
        const CliResult result = m_cli.run(QStringList{"prepare"} + prepareArguments(options));
        QCOMPARE(result.status, 2);
        QVERIFY2(result.err.contains("/nothing/") == accepted, qPrintable(result.err));
    }

private:
    CliFixture m_cli;
};

QTEST_GUILESS_MAIN(TestPrepareRules)
#include "tst_prepare_rules.moc"
