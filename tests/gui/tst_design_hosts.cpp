#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QScrollArea>
#include <QTest>

#include "app/designer/design_page.h"
#include "app/hosts/hosts_page.h"
#include "app/widgets/delegates.h"
#include "app/widgets/input_boxes.h"
#include "engine/planner/hardware/hardware_presets.h"
#include "engine/spec/presets.h"
#include "engine/spec/spec_json.h"
#include "tests/gui/page_fixture.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

QPushButton* buttonWith(QWidget& parent, const QString& text)
{
    for (auto* button : parent.findChildren<QPushButton*>()) {
        if (button->text().contains(text))
            return button;
    }
    return nullptr;
}

/// 175B on 128 hosts of eight devices.
RunSpec thousandDevices()
{
    RunSpec spec;
    spec.model = *modelPreset("gpt-175b");
    spec.precision.compute = ComputeType::BFloat16;
    spec.cluster.nodes.clear();
    for (int node = 0; node < 128; ++node)
        spec.cluster.nodes.push_back({"node-" + std::to_string(node), 8, 0, "hgx-a100"});
    spec.layout = {.data = 8, .tensor = 8, .pipeline = 16};
    spec.batch = {.global = 1536, .micro = 1, .accumulation = 192};
    return spec;
}

} // namespace

/// Hosts of a specification and their hardware, up to a thousand devices.
class TestDesignHosts : public QObject {
    Q_OBJECT

private slots:
    void init() { m_desk.start(); }
    void cleanup() { m_desk.end(); }

    void aHostIsShownFromItsBeginning()
    {
        auto& page = m_desk.goTo<DesignPage>();
        const auto* host = page.findChild<QComboBox*>("cluster.nodes[0].host");
        QCOMPARE(host->currentText(), QString("localhost"));
        QCOMPARE(host->lineEdit()->cursorPosition(), 0);
    }

    void thisMachineNeedsNoCheckToBeTooSmall()
    {
        RunSpec spec;
        spec.model = *modelPreset("gpt-1t");
        spec.dataset.path = "/data/set";
        m_desk.session().document().reset(spec);
        auto& page = m_desk.goTo<DesignPage>();
        QVERIFY(labelContaining(page, "Does not fit"));
        QVERIFY(!buttonIn(page, "Launch")->isEnabled());
    }

    void hardwareIsListedWithWhatItIs()
    {
        auto& page = m_desk.goTo<DesignPage>();
        const auto* box = page.findChild<QComboBox*>("cluster.nodes[0].hardware");
        const int row = box->findText("p4d.24xlarge");
        QVERIFY(row > 0);
        QVERIFY(box->itemData(row, DetailDelegate::kDetailRole).toString().contains("A100 of 40 GB"));
    }

    void hardwareThatWasMeasuredSinceIsOffered()
    {
        auto* hardware = m_desk.goTo<DesignPage>().findChild<QComboBox*>("cluster.nodes[0].hardware");
        QVERIFY(hardware->findText("lab") < 0);
        m_desk.goTo<HostsPage>();
        QVERIFY(m_desk.session().hardware().store("lab", *nodePreset("cpu-node")).ok());
        m_desk.goTo<DesignPage>();
        QVERIFY(hardware->findText("lab") > 0);
        QCOMPARE(hardware->currentIndex(), 0);
    }

    void hostsAreAddedLikeTheLast()
    {
        auto& page = m_desk.goTo<DesignPage>();
        SpecDocument& document = m_desk.session().document();
        auto* hardware = page.findChild<QComboBox*>("cluster.nodes[0].hardware");
        QVERIFY(hardware->findText("hgx-a100") > 0);
        const RunSpec before = document.spec();
        hardware->setCurrentText("hgx-a100");
        QCOMPARE(document.spec().cluster.nodes[0].hardware, "hgx-a100");
        QCOMPARE(document.spec().cluster.nodes[0].slotCount, 8); // its devices
        document.undoStack().undo();
        QCOMPARE(toJson(document.spec()), toJson(before));
        QCOMPARE(hardware->currentIndex(), 0);
        document.undoStack().redo();

        replaceText(page.findChild<QComboBox*>("cluster.nodes[0].host"), "node001");
        for (auto* box : page.findChildren<NumberBox*>()) {
            if (box->accessibleName() == "Number of hosts to add")
                box->setValue(127);
        }
        click(page, "Duplicate the last host");
        QCOMPARE(document.spec().cluster.nodes.size(), std::size_t(128));
        QCOMPARE(document.spec().cluster.nodes.back().host, "node128");
        QVERIFY(!page.findChild<QComboBox*>("cluster.nodes[127].host"));
        QPushButton* more = buttonWith(page, "more hosts");
        QVERIFY(more && more->isVisible());
        more->click();
        QVERIFY(page.findChild<QComboBox*>("cluster.nodes[127].host"));
        document.undoStack().undo();
        QCOMPARE(document.spec().cluster.nodes.size(), std::size_t(1));
    }

    void aHostBeyondTheFirstRowsIsShownWhenItIsAdded()
    {
        auto& page = m_desk.goTo<DesignPage>();
        SpecDocument& document = m_desk.session().document();
        document.reset(thousandDevices());
        click(page, "Add a host");
        auto* added = page.findChild<QComboBox*>("cluster.nodes[128].host");
        QVERIFY(added);
        AWAIT(added->isVisible());
        AWAIT(added->hasFocus() || added->isAncestorOf(QApplication::focusWidget()));
    }

    void nothingIsCutOffInASmallWindow()
    {
        m_desk.window().resize(1280, 800);
        auto& page = m_desk.goTo<DesignPage>();
        m_desk.session().document().reset(thousandDevices());
        QApplication::processEvents();
        for (auto* scroll : page.findChildren<QScrollArea*>()) {
            if (scroll->widget() && scroll->isVisible())
                QVERIFY2(scroll->widget()->width() <= scroll->viewport()->width(),
                         qPrintable(scroll->widget()->metaObject()->className()));
        }
    }

private:
    PageFixture m_desk;
};

QTEST_MAIN(TestDesignHosts)
#include "tst_design_hosts.moc"
