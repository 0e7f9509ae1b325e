#include <QProcess>
#include <QTest>

#include "app/models/prepare_options.h"
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
            "short rows", [](PrepareOptions& o) { o.sequenceLength = 7, o.maxPredictions = 1; }, false);
        row(
            "shortest rows", [](PrepareOptions& o) { o.sequenceLength = 8, o.maxPredictions = 1; }, true);
        row(
            "longest rows", [](PrepareOptions& o) { o.sequenceLength = 65536; }, true);
        row(
            "long rows", [](PrepareOptions& o) { o.sequenceLength = 65537; }, false);
        row(
            "no mask", [](PrepareOptions& o) { o.maxPredictions = 0; }, false);
        row(
            "most masks", [](PrepareOptions& o) { o.maxPredictions = 125; }, true);
        row(
            "too many masks", [](PrepareOptions& o) { o.maxPredictions = 126; }, false);
        row(
            "no pass", [](PrepareOptions& o) { o.dupeFactor = 0; }, false);
        row(
            "too many passes", [](PrepareOptions& o) { o.dupeFactor = 1001; }, false);
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
