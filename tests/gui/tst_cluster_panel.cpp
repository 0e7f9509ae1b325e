#include <QImage>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QTest>
#include <QToolButton>

#include "app/designer/cluster_panel.h"
#include "app/designer/cluster_picture.h"
#include "app/designer/memory_bars.h"
#include "app/designer/placement_letters.h"
#include "tests/support/patience.h"

using namespace trainyard;

namespace {

/// Two hosts of four devices, 2 x 2 x 2.
RunSpec smallSpec()
{
    RunSpec spec;
    spec.cluster.nodes = {NodeSpec{"a", 4}, NodeSpec{"b", 4}};
    spec.layout.data = spec.layout.pipeline = spec.layout.tensor = 2;
    return spec;
}

RunSpec thousandDevices()
{
    RunSpec spec = smallSpec();
    spec.cluster.nodes.assign(128, NodeSpec{"node", 8});
    spec.layout.data = 64;
    spec.layout.tensor = 8;
    return spec;
}

GroupedMemory memoryOf(const DeviceMap& map, Bytes first, Bytes second, Bytes room)
{
    std::vector<HostMemory> hosts;
    for (const MappedNode& node : map.nodes())
        hosts.push_back({node.host.toStdString(), node.used, room});
    return groupMemory(map, {RankMemory{{}, {first}}, RankMemory{{}, {second}}}, hosts);
}

} // namespace

/// The picture of the cluster, driven as a user does.
class TestClusterPanel : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_document = std::make_unique<SpecDocument>();
        m_panel = std::make_unique<ClusterPanel>(*m_document);
        connect(m_document.get(), &SpecDocument::changed, m_panel.get(), [this] { show(1, 1, 10); });
        m_document->reset(smallSpec());
        m_panel->resize(300, 420); // the hosts are below each other
        m_panel->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_panel.get(), kPatienceMs));
        m_panel->activateWindow();
        m_picture = m_panel->findChild<ClusterPicture*>();
        m_letters = m_panel->findChild<PlacementLetters*>();
    }

    void keysAndSegmentsChooseWhatIsColoured()
    {
        QTest::keyClick(m_picture, Qt::Key_T);
        QCOMPARE(m_picture->axis(), GroupAxis::Tensor);
        QVERIFY(segment("Colour by tensor-parallel group (T)")->isChecked());
        QCOMPARE(colourOf(0), colourOf(1));
        QVERIFY(colourOf(1) != colourOf(2));
        QTest::mouseClick(segment("Colour by data-parallel group (D)"), Qt::LeftButton);
        QCOMPARE(m_picture->axis(), GroupAxis::Data);
        QCOMPARE(colourOf(0), colourOf(4));
        QVERIFY(colourOf(0) != colourOf(1));
    }

    void arrowsMoveBetweenDevices()
    {
        QTest::keyClick(m_picture, Qt::Key_Right);
        QTest::keyClick(m_picture, Qt::Key_Right);
        QCOMPARE(m_picture->current(), 1);
        QTest::keyClick(m_picture, Qt::Key_Down);
        QCOMPARE(m_picture->current(), 5);
        QTest::keyClick(m_picture, Qt::Key_Down);
        QCOMPARE(m_picture->current(), 5);
        QTest::keyClick(m_picture, Qt::Key_Up);
        QCOMPARE(m_picture->current(), 1);
        QTest::keyClick(m_picture, Qt::Key_End);
        QCOMPARE(m_picture->current(), 7);
        QTest::keyClick(m_picture, Qt::Key_Escape);
        QCOMPARE(m_picture->current(), -1);
    }

    void aChosenDeviceIsDescribedAndItsGroupsStandOut()
    {
        const QColor member = colourOf(4);
        const QColor other = colourOf(7);
        QTest::mouseClick(m_picture->viewport(), Qt::LeftButton, {}, m_picture->cellRect(0).center());
        QCOMPARE(m_picture->current(), 0);
        QVERIFY(m_picture->accessibleDescription().contains("rank 0 · a, slot 0 · D 0 P 0 T 0"));
        QVERIFY(labelWith("D of 2 on 2 hosts"));
        QCOMPARE(colourOf(4), member);
        QVERIFY(colourOf(7) != other);
    }

    void aLetterIsDraggedToItsPlace()
    {
        drag(2, 0);
        QCOMPARE(m_document->spec().layout.placement, "TDP");
        QCOMPARE(m_letters->letters(), "TDP");
        QCOMPARE(m_document->undoStack().count(), 1);
        m_document->undoStack().undo();
        QCOMPARE(m_document->spec().layout.placement, "cluster");
        QCOMPARE(m_letters->letters(), "DPT");
    }

    void aDragBackChangesNothing()
    {
        QTest::mousePress(m_letters, Qt::LeftButton, {}, m_letters->tile(0).center());
        QTest::mouseMove(m_letters, m_letters->tile(2).center());
        QCOMPARE(m_letters->letters(), "PTD");
        QTest::mouseMove(m_letters, m_letters->tile(0).center());
        QTest::mouseRelease(m_letters, Qt::LeftButton, {}, m_letters->tile(0).center());
        QCOMPARE(m_document->undoStack().count(), 0);
        QTest::mousePress(m_letters, Qt::LeftButton, {}, m_letters->tile(0).center());
        QTest::mouseMove(m_letters, m_letters->tile(2).center());
        QTest::keyClick(m_letters, Qt::Key_Escape);
        QTest::mouseRelease(m_letters, Qt::LeftButton, {}, m_letters->tile(2).center());
        QCOMPARE(m_letters->letters(), "DPT");
        QCOMPARE(m_document->undoStack().count(), 0);
    }

    void lettersAreMovedWithTheKeyboardOneStepEach()
    {
        QTest::keyClick(m_letters, Qt::Key_Right, Qt::AltModifier);
        QTest::keyClick(m_letters, Qt::Key_Right, Qt::AltModifier);
        QCOMPARE(m_document->spec().layout.placement, "PTD");
        QTest::keyClick(m_letters, Qt::Key_Left);
        QTest::keyClick(m_letters, Qt::Key_Left, Qt::AltModifier); // T to the front
        QCOMPARE(m_document->spec().layout.placement, "spread");   // TPD
        m_document->undoStack().undo();
        QCOMPARE(m_document->spec().layout.placement, "PTD");
        m_document->undoStack().undo();
        QCOMPARE(m_document->spec().layout.placement, "PDT");
    }

    void othersSpellingsStandBesideTheLetters()
    {
        QVERIFY(labelWith("SageMaker cluster · Megatron tp-pp-dp"));
        QVERIFY(labelWith("DeepSpeed data-pipe-model"));
        drag(0, 2);
        QVERIFY(labelWith("SageMaker PTD · Megatron dp-tp-pp"));
        QVERIFY(labelWith("DeepSpeed pipe-model-data"));
    }

    void whatDoesNotFitChangesShapeAndColourAndIsSaid()
    {
        const QRect cell = m_picture->cellRect(0);
        const QPoint corner = cell.topLeft() + QPoint(2, 2); // outside of an octagon
        const QColor before = colourAt(corner);
        show(20, 1, 10);
        QVERIFY(colourAt(corner) != before);
        QVERIFY(colourOf(0) != colourOf(2));
        QVERIFY(labelWith("4 devices are too small"));
    }

    void theKeyboardsPlaceIsSeenBeforeADeviceIsChosen()
    {
        m_letters->setFocus();
        const QImage without = m_picture->viewport()->grab().toImage();
        m_picture->setFocus();
        QVERIFY(m_picture->viewport()->grab().toImage() != without);
    }

    void aThousandDevicesAreSmallAndWithinReach()
    {
        m_document->reset(thousandDevices());
        QVERIFY(m_picture->cellRect(0).width() < 12);
        QTest::keyClick(m_picture, Qt::Key_End);
        QCOMPARE(m_picture->current(), 1023);
        QVERIFY(m_picture->viewport()->rect().contains(m_picture->cellRect(1023)));
        QTest::keyClick(m_picture, Qt::Key_Plus);
        QVERIFY(m_picture->cellRect(0).width() >= 11);
        QTest::keyClick(m_picture, Qt::Key_0);
        QVERIFY(m_picture->cellRect(0).width() < 11);
    }

    void freeSlotsAreTakenByCopiesOfTheModel()
    {
        RunSpec spec = smallSpec();
        spec.layout.data = 1;
        spec.batch = {.global = 32, .micro = 8, .accumulation = 4};
        m_document->reset(spec);
        auto* useAll = m_panel->findChild<QPushButton*>();
        QCOMPARE(useAll->text(), "Use 8 slots");
        QTest::mouseClick(useAll, Qt::LeftButton);
        QCOMPARE(m_document->spec().layout.data, 2);
        QCOMPARE(m_document->spec().batch.global, 64);
        QVERIFY(!useAll->isVisible());
        m_document->undoStack().undo();
        QCOMPARE(m_document->spec().layout.data, 1);
        QVERIFY(useAll->isVisible());
    }

    void noBoxIsWiderThanThePicture()
    {
        RunSpec spec = smallSpec();
        spec.cluster.nodes = {NodeSpec{"cores", 256}, NodeSpec{"a", 8}};
        const DeviceMap map(spec);
        for (int scale = 0; scale < ClusterLayout::kScales; ++scale) {
            const ClusterLayout layout(map, 220, scale);
            for (int device = 0; device < int(map.devices().size()); ++device) {
                const int node = map.device(device).node;
                QVERIFY(layout.box(node).contains(layout.cell(device)));
                QCOMPARE(layout.deviceAt(layout.cell(device).center()), device);
            }
            QVERIFY(layout.box(0).right() < 220);
            QVERIFY(!layout.box(0).intersects(layout.box(1)));
        }
    }

    void barsShowTheFullestStagesFirst()
    {
        MemoryBars bars;
        const DeviceMap map(smallSpec());
        bars.setMemory(memoryOf(map, 20, 5, 10), map.layout(), {});
        const QString said = bars.accessibleDescription();
        QVERIFY2(said.startsWith("stage 0 · 4 devices: ✕ "), qPrintable(said));
        QVERIFY(said.contains("stage 1 · 4 devices: 5 B of 10 B"));
    }

private:
    void show(Bytes first, Bytes second, Bytes room)
    {
        const DeviceMap map(m_document->spec());
        m_panel->setCluster(map, memoryOf(map, first, second, room));
    }

    void drag(int from, int to)
    {
        QTest::mousePress(m_letters, Qt::LeftButton, {}, m_letters->tile(from).center());
        QTest::mouseMove(m_letters, m_letters->tile(1).center());
        QTest::mouseMove(m_letters, m_letters->tile(to).center());
        QTest::mouseRelease(m_letters, Qt::LeftButton, {}, m_letters->tile(to).center());
    }

    QToolButton* segment(const QString& name) const
    {
        for (auto* button : m_panel->findChildren<QToolButton*>()) {
            if (button->accessibleName() == name)
                return button;
        }
        return nullptr;
    }

    bool labelWith(const QString& text) const
    {
        const auto labels = m_panel->findChildren<QLabel*>();
        return std::ranges::any_of(labels, [&](const QLabel* label) {
            return label->text().contains(text) || label->accessibleName().contains(text);
        });
    }

    QColor colourAt(const QPoint& position) const
    {
        return m_picture->viewport()->grab().toImage().pixelColor(position);
    }

    /// Of a device's cell, beside its number.
    QColor colourOf(int device) const
    {
        return colourAt(m_picture->cellRect(device).topLeft() + QPoint(5, 14));
    }

    std::unique_ptr<SpecDocument> m_document;
    std::unique_ptr<ClusterPanel> m_panel;
    ClusterPicture* m_picture = nullptr;
    PlacementLetters* m_letters = nullptr;
};

QTEST_MAIN(TestClusterPanel)
#include "tst_cluster_panel.moc"
