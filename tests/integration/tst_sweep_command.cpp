#include <QJsonArray>
#include <QJsonObject>
#include <QSet>
#include <QTest>

#include "tests/integration/cli_fixture.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::test;

/// `trainyard sweep`: runs that wait for one another on a real host.
class TestSweepCommand : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_cli = std::make_unique<CliFixture>();
        QString why;
        QVERIFY2(m_cli->makeDataset(&why), qPrintable(why));
        m_spec = m_cli->writeSpec("spec.json", tinySpec(m_cli->dataset(), 1, 4));
    }

    void listsWhatItWouldLaunch()
    {
        const QJsonDocument listed = json({"sweep", m_spec, "--vary", "optimizer.learning_rate=1e-3,3e-4",
                                           "--vary", "optimizer.kind=adamw,lamb", "--dry-run", "--json"});
        QCOMPARE(listed["settings"].toArray().size(), 4);
        QCOMPARE(listed["settings"].toArray().at(3)["optimizer.kind"].toString(), "lamb");
        QVERIFY(listed["runs"].toArray().isEmpty());
        const QStringList draw{"sweep",    m_spec,     "--vary", "optimizer.learning_rate=1e-4..1e-2",
                               "--random", "5",        "--seed", "3",
                               "--json",   "--dry-run"};
        QCOMPARE(json(draw), json(draw));
        QVERIFY(json({"runs", "--json"}).array().isEmpty());
    }

    void launchesNothingWhereOneRunCannotWork()
    {
        const CliResult refused = m_cli->run({"sweep", m_spec, "--vary", "model.heads=2,7"});
        QVERIFY(refused.status == 2 || refused.status == 3);
        QVERIFY2(refused.err.contains("with model.heads 7"), qPrintable(refused.err));
        QVERIFY(json({"runs", "--json"}).array().isEmpty());
    }

    void runsOneAfterTheOther()
    {
        const QJsonDocument swept =
            json({"sweep", m_spec, "--vary", "optimizer.learning_rate=1e-3,3e-4,1e-4", "--json"});
        QCOMPARE(swept["runs"].toArray().size(), 3);
        const QString tag = "tag:" + swept["sweep"].toString();
        const auto found = [&] { return json({"runs", "--search", tag, "--json"}).array(); };
        QCOMPARE(found().size(), 3);
        AWAIT(std::ranges::all_of(found(), [](const QJsonValue& run) { return run["state"] == "finished"; }));
        QSet<QString> names;
        for (const QJsonValue& run : found())
            names << run["name"].toString();
        QCOMPARE(names.size(), 3);
    }

private:
    QJsonDocument json(const QStringList& call) const
    {
        const CliResult result = m_cli->run(call);
        if (result.status != 0)
            qWarning("%s", qPrintable(result.err));
        return QJsonDocument::fromJson(result.out.toUtf8());
    }

    std::unique_ptr<CliFixture> m_cli;
    QString m_spec;
};

QTEST_GUILESS_MAIN(TestSweepCommand)
#include "tst_sweep_command.moc"
