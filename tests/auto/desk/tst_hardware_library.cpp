#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

#include "app/plan/hardware_library.h"
#include "engine/base/file.h"
#include "engine/planner/hardware/hardware_presets.h"

using namespace trainyard;

class TestHardwareLibrary : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_folder = std::filesystem::path(m_dir->path().toStdString()) / "hardware";
    }

    void presetsAreThereWithoutAFolder()
    {
        const HardwareLibrary library(m_folder);
        QVERIFY(library.names() == nodePresetNames());
        QVERIFY(library.find("hgx-h100").value() == *nodePreset("hgx-h100"));
    }

    void keepsTheUsersOwn()
    {
        const HardwareLibrary library(m_folder);
        NodeModel mine = *nodePreset("cpu-node");
        mine.name = "mine";
        mine.devices = 3;
        QVERIFY(library.store("mine", mine).ok());
        QVERIFY(library.find("mine").value() == mine);
        QVERIFY(std::ranges::is_sorted(library.names()));
        QVERIFY(std::ranges::count(library.names(), std::string("mine")) == 1);
    }

    void aFileTakesThePlaceOfAPreset()
    {
        const HardwareLibrary library(m_folder);
        NodeModel mine = *nodePreset("hgx-a100");
        mine.price.perHour = 9;
        QVERIFY(library.store("hgx-a100", mine).ok());
        QCOMPARE(library.find("hgx-a100").value().price.perHour, 9.0);
        QVERIFY(library.names() == nodePresetNames());
    }

    /// Four ranks need one of the two hosts.
    void addsUpThePricesOfTheHostsThatGetRanks()
    {
        const HardwareLibrary library(m_folder);
        RunSpec spec;
        spec.cluster.nodes = {{.host = "a", .slotCount = 4, .hardware = "hgx-h100"},
                              {.host = "b", .slotCount = 4, .hardware = "p4d.24xlarge"}};
        spec.layout.data = 4;
        const double h100 = nodePreset("hgx-h100")->price.perHour;
        QVERIFY(h100 > 0);
        QCOMPARE(library.priceOf(spec).perHour, h100);
        QCOMPARE(library.priceOf(spec).currency, std::string("USD"));
        spec.layout.data = 8;
        QCOMPARE(library.priceOf(spec).perHour, h100 + nodePreset("p4d.24xlarge")->price.perHour);
        spec.cluster.nodes.back().hardware = "hgx-a100"; // without a price
        QCOMPARE(library.priceOf(spec).perHour, 0.0);
        spec.cluster.nodes.back().hardware.clear();
        QCOMPARE(library.priceOf(spec).perHour, 0.0);
    }

    void saysWhatIsWrong()
    {
        const HardwareLibrary library(m_folder);
        const auto unknown = library.find("hgx-h300");
        QCOMPARE(int(unknown.error().kind), int(ErrorKind::BadInput));
        QVERIFY(QString::fromStdString(unknown.error().text()).contains("hgx-h200"));
        QCOMPARE(int(library.find("../hgx-h100").error().kind), int(ErrorKind::BadInput));
        QCOMPARE(int(library.store("../x", {}).error().kind), int(ErrorKind::BadInput));
        QVERIFY(makeFolder(m_folder).ok());
        QVERIFY(writeFileAtomically(m_folder / "odd.json", "{\"devices\": -1}").ok());
        const auto odd = library.find("odd");
        QVERIFY(QString::fromStdString(odd.error().text()).contains("odd.json"));
    }

private:
    std::unique_ptr<QTemporaryDir> m_dir;
    std::filesystem::path m_folder;
};

QTEST_GUILESS_MAIN(TestHardwareLibrary)
#include "tst_hardware_library.moc"
