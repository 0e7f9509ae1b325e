#include <QElapsedTimer>
#include <QFile>
#include <QTest>

#include "engine/records/journal.h"
#include "tests/integration/cli_fixture.h"

using namespace trainyard;
using namespace trainyard::test;

class TestDemo : public QObject {
    Q_OBJECT

private slots:
    void goesTheWholeRoad()
    {
        CliFixture cli;
        const CliResult result = cli.run({"demo", "--headless", "--out", cli.path("demo")}, 800);
        QVERIFY2(result.status == 0, qPrintable(result.err));

        const auto path = [&](const QString& label) {
            for (const QString& line : result.out.split('\n')) {
                if (line.startsWith(label))
                    return line.mid(label.size()).trimmed();
            }
            return QString();
        };
        QVERIFY(QFile::exists(path("dataset") + "/manifest.json"));
        QVERIFY(QFile::exists(path("report")));
        QCOMPARE(cli.run({"verify", path("dataset")}).status, 0);

        const auto journal = readJournal((path("run") + "/journal/steps").toStdString()).value();
        std::vector<double> losses;
        for (const Record& record : journal.records) {
            if (const auto* step = std::get_if<StepRecord>(&record.payload))
                losses.push_back(step->loss);
        }
        QVERIFY(losses.size() >= 100);
        QVERIFY2(losses.back() < losses.front() - 1,
                 qPrintable(QString("%1 -> %2").arg(losses.front()).arg(losses.back())));
    }
};

QTEST_GUILESS_MAIN(TestDemo)
#include "tst_demo.moc"
