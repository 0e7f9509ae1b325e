#include <QJsonArray>
#include <QTest>

#include "remote/target/host_report.h"

using namespace trainyard;

namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

QJsonObject goodProbe()
{
    return {{"host", "node1"},
            {"os", "Debian GNU/Linux 12"},
            {"arch", "x86_64"},
            {"glibc", "2.36"},
            {"cpu", QJsonObject{{"model", "Xeon"}, {"cores", 64}}},
            {"memory", QJsonObject{{"total", 256 * kGiB}}},
            {"shm", QJsonObject{{"total", 64 * kGiB}}},
            {"disk", QJsonObject{{"path", "/home/a/.trainyard"},
                                 {"free", 500 * kGiB},
                                 {"writable", true},
                                 {"noexec", false},
                                 {"inodes_free", 1e7}}},
            {"limits", QJsonObject{{"nofile", 1048576}}},
            {"devices", QJsonArray{QJsonObject{{"name", "H200"}, {"memory_total", 140 * kGiB}}}},
            {"mpi", QJsonObject{{"version", "4.1.4"}}},
            {"slurm", QJsonValue()}};
}

QJsonObject changed(const QString& key, const QJsonValue& value)
{
    QJsonObject probe = goodProbe();
    if (const auto at = key.indexOf('.'); at > 0) {
        QJsonObject inner = probe.value(key.left(at)).toObject();
        inner.insert(key.mid(at + 1), value);
        probe.insert(key.left(at), inner);
    } else {
        probe.insert(key, value);
    }
    return probe;
}

HostReport judge(const QJsonObject& probe, ClockReading clock = {0.4, 2})
{
    return judgeHost(readFacts("gpu-03", probe, clock), "0.1.0", "2.36");
}

} // namespace

class TestHostReport : public QObject {
    Q_OBJECT

private slots:
    void acceptsAGoodHost()
    {
        const HostReport report = judge(goodProbe());
        for (const CheckRow& row : report.rows) {
            QVERIFY2(row.verdict == Verdict::Ok, qPrintable(row.check + ": " + row.found));
            QVERIFY(row.fix.isEmpty());
        }
        QCOMPARE(report.facts.devices.size(), 1);
        QCOMPARE(report.facts.cores, 64);
    }

    void findsWhatIsWrongAndSaysTheFix_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QJsonValue>("value");
        QTest::addColumn<QString>("check");
        QTest::addColumn<int>("verdict");
        const auto row = [](const char* key, const QJsonValue& value, const char* check, Verdict verdict) {
            QTest::addRow("%s", key) << key << value << check << static_cast<int>(verdict);
        };
        row("arch", "aarch64", "system", Verdict::Fail);
        row("glibc", "2.9", "system", Verdict::Fail);
        row("memory.total", 1e9, "memory", Verdict::Warn);
        row("shm.total", 1e6, "shared memory", Verdict::Warn);
        row("devices_error", "driver and library do not fit", "devices", Verdict::Warn);
        row("disk.free", 1e7, "disk", Verdict::Fail);
        row("disk.noexec", true, "disk", Verdict::Fail);
        row("disk.writable", false, "disk", Verdict::Fail);
        row("disk.inodes_free", 12, "disk", Verdict::Warn);
        row("limits.nofile", 256, "limits", Verdict::Warn);
        row("mpi", QJsonValue(), "MPI", Verdict::Fail);
    }
    void findsWhatIsWrongAndSaysTheFix()
    {
        QFETCH(QString, key);
        QFETCH(QJsonValue, value);
        QFETCH(QString, check);
        QFETCH(int, verdict);
        const HostReport report = judge(changed(key, value));
        QCOMPARE(static_cast<int>(report.worst()), verdict);
        for (const CheckRow& row : report.rows) {
            QCOMPARE(row.verdict != Verdict::Ok, row.check == check);
            QCOMPARE(row.fix.isEmpty(), row.check != check);
        }
    }

    void warnsOfAClockThatIsOff() { QCOMPARE(judge(goodProbe(), {1, -5000}).worst(), Verdict::Warn); }

    void takesAnEmptyAnswer() { QCOMPARE(judge({}).worst(), Verdict::Fail); }
};

QTEST_APPLESS_MAIN(TestHostReport)
#include "tst_host_report.moc"
