#include <QTest>

#include "app/data/model/prepare_request.h"
#include "datasets/options/prepare_command_line.h"
#include "tests/integration/cli_fixture.h"

using namespace trainyard;
using namespace trainyard::test;

/// The program takes the arguments that a form's request becomes, and refuses what the form refuses.
class TestPrepareRules : public QObject {
    Q_OBJECT

private slots:
    void theFormAndTheProgramAgree_data()
    {
        QTest::addColumn<PrepareRequest>("request");
        QTest::addColumn<bool>("accepted");
        const auto row = [this](const char* name, bool accepted, auto change) {
            PrepareRequest request;
            request.dumps = {"/nothing/dump.xml"};
            request.vocabulary = "/nothing/vocab.txt";
            request.out = m_cli.path("out").toStdString();
            change(request);
            QTest::addRow("%s", name) << request << accepted;
        };
        row("as it comes", true, [](auto&) {});
        row("both phases", true, [](auto& r) { r.shapes = {{128, 20}, {512, 80}}; });
        row("every choice", true, [](auto& r) {
            r.format = CorpusFormat::JsonLines;
            r.profile = "google-py";
            r.cased = true;
            r.extra = {true, true, true};
        });
        row("least memory", true, [](auto& r) { r.memoryBytes = 128 * kMiB; });
        row("too little memory", false, [](auto& r) { r.memoryBytes = 128 * kMiB - 1; });
        row("a lone shard", false, [](auto& r) { r.trainingShards = 1; });
        row("nothing held out", true, [](auto& r) { r.testFraction = 0; });
        row("all held out", false, [](auto& r) { r.testFraction = 1; });
        row("longest rows", true, [](auto& r) { r.shapes = {{65536, 20}}; });
        row("long rows", false, [](auto& r) { r.shapes = {{65537, 20}}; });
        row("too many masks", false, [](auto& r) { r.shapes = {{128, 126}}; });
        row("name that leads out", false, [](auto& r) { r.corpus = "../wiki"; });
    }

    /// The program gets as far as the dump, which is not there, exactly when the numbers are fine.
    void theFormAndTheProgramAgree()
    {
        QFETCH(PrepareRequest, request);
        QFETCH(bool, accepted);
        QCOMPARE(validate(request).empty(), accepted);
        const CliResult result = m_cli.run(QStringList{"prepare"} + toStringList(prepareArguments(request)));
        QCOMPARE(result.status, 2);
        QVERIFY2(result.err.contains("/nothing/") == accepted, qPrintable(result.err));
    }

private:
    CliFixture m_cli;
};

QTEST_GUILESS_MAIN(TestPrepareRules)
#include "tst_prepare_rules.moc"
