#include <QTest>

#include "remote/preflight/report_json.h"

using namespace trainyard;

namespace {

HostReport host(const QString& name, const CheckRow& row)
{
    HostReport report;
    report.host = report.facts.host = report.facts.hostName = name;
    report.rows << row;
    return report;
}

const CheckRow kGood{"MPI", "4.1", Verdict::Ok, ""};
const CheckRow kLate{"clock", "late", Verdict::Warn, "set it"};
const CheckRow kBad{"MPI", "no mpirun", Verdict::Fail, "install OpenMPI"};

LinkRow link(const QString& from, const QString& to, Verdict verdict, double rate = 0)
{
    return {from,
            to,
            LinkRow::Way::Tcp,
            verdict == Verdict::Ok ? "0.1 ms" : "refused",
            verdict,
            verdict == Verdict::Ok ? "" : "open the ports",
            0.1,
            rate};
}

} // namespace

class TestPreflightReport : public QObject {
    Q_OBJECT

private slots:
    void warningsDoNotHoldARunBack()
    {
        const PreflightReport report{{host("a", kGood), host("b", kLate)}, {}};
        QVERIFY(report.judge().ok());
        QCOMPARE(report.worst(), Verdict::Warn);
    }

    void listsEveryHostAndEveryPairThatCannotDoIt()
    {
        PreflightReport report{{host("a", kGood), host("c", kBad), host("d", kBad)}, {}};
        report.hosts[0].links = {link("a", "c", Verdict::Fail), link("a", "d", Verdict::Ok)};
        const Status status = report.judge();
        QCOMPARE(status.error().kind, ErrorKind::Refused);
        QCOMPARE(QString::fromStdString(status.error().text()),
                 QString("c, d: MPI: no mpirun; a → c: refused — install OpenMPI; open the ports"));
    }

    void hundredsOfPairsAreCounted()
    {
        PreflightReport report{{host("a", kGood)}};
        for (int i = 0; i < 300; ++i)
            report.hosts[0].links << link("a", QString("n%1").arg(i), Verdict::Fail);
        const std::string message = report.judge().error().message;
        QVERIFY2(message.ends_with("and 276 more links"), message.c_str());
        QVERIFY(message.size() < 2000);
    }

    void aHostThatDoesNotAnswerIsUnreachable()
    {
        const PreflightReport report{{host("a", kGood), unreachableReport("b", unreachable("b: off"))}, {}};
        QCOMPARE(report.judge().error().kind, ErrorKind::Unreachable);
    }

    void theRecordOfARunKeepsWhatIsNotFine()
    {
        PreflightReport report{{host("a", kGood), host("b", kLate)}, "10.1.0.0/16"};
        report.hosts[0].links = {link("a", "b", Verdict::Ok, 1e9), link("a", "b", Verdict::Ok)};
        const QJsonObject record = toJson(report);
        QCOMPARE(record["verdict"].toString(), QString("warning"));
        QCOMPARE(record["interface"].toString(), QString("10.1.0.0/16"));
        QCOMPARE(record["hosts"][0]["checks"].toArray().size(), 0);
        QCOMPARE(record["hosts"][0]["links"].toArray().size(), 1);
        QCOMPARE(record["hosts"][0]["links"][0]["bytes_per_second"].toDouble(), 1e9);
        QCOMPARE(record["hosts"][1]["checks"][0]["fix"].toString(), QString("set it"));
    }
};

QTEST_APPLESS_MAIN(TestPreflightReport)
#include "tst_preflight_report.moc"
