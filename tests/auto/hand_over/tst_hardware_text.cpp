#include <QTemporaryDir>
#include <QTest>

#include "engine/base/file.h"
#include "engine/hand_over/hardware_text.h"

using namespace trainyard;

class TestHardwareText : public QObject {
    Q_OBJECT

private slots:
    void countsEqualHosts_data()
    {
        QTest::addColumn<QByteArray>("inventory");
        QTest::addColumn<QString>("text");
        const QByteArray processor =
            R"({"host": "node-7", "probe": {"devices": [], "memory": {"total": 8589934592},
            "cpu": {"model": "AMD EPYC", "cores": 2}}})";
        const QByteArray devices = R"({"host": "gpu-1", "probe": {"devices": [{"name": "NVIDIA H100"},
            {"name": "NVIDIA H100"}]}})";
        const auto of = [](const QByteArray& hosts) { return "{\"hosts\": [" + hosts + "]}"; };
        QTest::addRow("processor") << of(processor) << "1 host with AMD EPYC, 2 cores, 8.00 GiB of memory";
        QTest::addRow("devices") << of(devices + ',' + devices) << "2 hosts with 2 x NVIDIA H100";
        QTest::addRow("both")
            << of(devices + ',' + processor)
            << "1 host with 2 x NVIDIA H100; 1 host with AMD EPYC, 2 cores, 8.00 GiB of memory";
        QTest::addRow("no hosts") << QByteArray("{}") << "";
        QTest::addRow("damaged") << QByteArray("{\"hosts\": [{\"probe\"") << "";
    }
    void countsEqualHosts()
    {
        QFETCH(QByteArray, inventory);
        QFETCH(QString, text);
        const QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath("inventory.json").toStdString();
        QVERIFY(writeFileAtomically(file, inventory.toStdString()).ok());
        QCOMPARE(QString::fromStdString(hardwareText(file)), text);
    }

    void isEmptyWithoutInventory() { QVERIFY(hardwareText("/nowhere/inventory.json").empty()); }
};

QTEST_GUILESS_MAIN(TestHardwareText)
#include "tst_hardware_text.moc"
