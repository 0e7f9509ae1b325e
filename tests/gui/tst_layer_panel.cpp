#include <algorithm>
#include <memory>

#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <QToolTip>

#include "app/designer/layer/layer_picture.h"
#include "app/designer/layer_panel.h"
#include "app/designer/model/layer_text.h"
#include "engine/spec/presets.h"
#include "tests/gui/page_fixture.h"
#include "tests/gui/picture.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

LayerFonts drawingFonts()
{
    LayerFonts fonts{QApplication::font(), QApplication::font()};
    fonts.title.setPixelSize(13);
    fonts.title.setBold(true);
    fonts.small.setPixelSize(12);
    return fonts;
}

/// The first two of which one covers a part of the other; empty = there are no such.
QString overlapIn(const std::vector<PlacedText>& texts)
{
    for (std::size_t i = 0; i < texts.size(); ++i) {
        for (std::size_t j = i + 1; j < texts.size(); ++j) {
            if (texts[i].rect.intersects(texts[j].rect))
                return texts[i].text + " | " + texts[j].text;
        }
    }
    return {};
}

/// The first text that is not inside a box or the frame, or that is longer than its rectangle.
QString strayText(const LayerLayout& layout)
{
    for (const PlacedText& text : layout.texts()) {
        const auto holds = [&](const QRectF& area) { return area.contains(text.rect); };
        if (!holds(layout.frame()) && std::ranges::none_of(layout.boxes(), holds))
            return text.text;
        const LayerFonts fonts = drawingFonts();
        const bool isTitle = text.role == PlacedText::Role::Title;
        if (QFontMetricsF(isTitle ? fonts.title : fonts.small).horizontalAdvance(text.text) >
            text.rect.width() + 1)
            return text.text + " is cut";
    }
    return {};
}

bool areApart(const std::vector<QRectF>& boxes)
{
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        for (std::size_t j = i + 1; j < boxes.size(); ++j) {
            if (boxes[i].intersects(boxes[j]))
                return false;
        }
    }
    return true;
}

} // namespace

/// The drawing of a model, driven as a user does.
class TestLayerPanel : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_panel = std::make_unique<LayerPanel>();
        m_panel->setModel(*modelPreset("llama3-8b"));
        m_panel->resize(560, 700);
        m_panel->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_panel.get(), kPatienceMs));
        m_panel->activateWindow();
        m_picture = m_panel->findChild<LayerPicture*>();
    }
    void cleanup() { m_panel.reset(); }

    void arrowsWalkAlongTheBoxes()
    {
        const QStringList titles{"Embedding",    "RMSNorm",       "Attention", "RMSNorm",
                                 "Feed-forward", "Final RMSNorm", "Head"};
        m_picture->setFocus();
        for (const QString& title : titles) {
            QTest::keyClick(m_picture, Qt::Key_Down);
            QVERIFY2(m_picture->accessibleDescription().startsWith(title), qPrintable(title));
            const QRectF box = m_picture->placed().boxes()[std::size_t(*m_picture->current())];
            QVERIFY(box.isValid());
        }
        QTest::keyClick(m_picture, Qt::Key_Home);
        QCOMPARE(m_picture->current(), std::optional(0));
        QTest::keyClick(m_picture, Qt::Key_Escape);
        QVERIFY(!m_picture->current());
    }

    void theCurrentBoxTellsItsTensors()
    {
        m_picture->setCurrent(2);
        QVERIFY(m_picture->accessibleDescription().contains("model.layers.0.self_attn.q_proj.weight"));
        QTest::keyClick(m_picture, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QApplication::clipboard()->text(), m_picture->text());
        QVERIFY(labelContaining(*m_panel, "Attention: 32 heads of 128"));
    }

    void theToolTipIsATableOfTheTensors()
    {
        m_picture->setCurrent(1);
        QTest::keyClick(m_picture, Qt::Key_Down);
        AWAIT(QToolTip::isVisible());
        QVERIFY(QToolTip::text().contains("model.layers.0.self_attn.k_proj.weight"));
        for (QWidget* window : QApplication::topLevelWidgets()) {
            if (window->inherits("QTipLabel"))
                support::savePictures(*window, "model-tool-tip");
        }
    }

    void aClickSelects()
    {
        const QPoint norm = m_picture->placed().boxes()[1].center().toPoint();
        QTest::mouseClick(m_picture->viewport(), Qt::LeftButton, {}, norm);
        QCOMPARE(m_picture->current(), std::optional(1));
    }

    void itIsSavedAsAnImage()
    {
        const QTemporaryDir folder;
        for (const char* suffix : {"png", "svg", "pdf"}) {
            const QString file = folder.filePath(QString("model.") + suffix);
            QVERIFY(m_panel->saveImage(file).ok());
            QVERIFY(QFile(file).size() > 1000);
        }
        QVERIFY(!m_panel->saveImage(folder.filePath("model.gif")).ok());
    }

    void theLayerIsBesideTheRestWhereItIsLow()
    {
        m_panel->setModel(*modelPreset("gemma2-9b"));
        m_panel->resize(840, 420);
        const LayerLayout& low = m_picture->placed();
        QVERIFY(low.boxes().front().right() < low.frame().left());
        QVERIFY(low.boxes().back().right() < low.frame().left());
        support::savePictures(*m_panel, "model-low");
        m_panel->resize(560, 900);
        const LayerLayout& high = m_picture->placed();
        QVERIFY(high.boxes().front().bottom() < high.frame().top());
        QVERIFY(high.boxes().back().top() > high.frame().bottom());
        support::savePictures(*m_panel, "model-high");
    }

    void textsNeverOverlap()
    {
        const QSizeF rooms[] = {
            {LayerLayout::kMinWidth, 120}, {480, 200}, {540, 720}, {1600, 300}, {1600, 1200}};
        for (const std::string& preset : modelPresetNames()) {
            ModelSpec model = *modelPreset(preset);
            if (model.experts.isOn())
                model.experts.every = 2; // one lane more
            for (const QSizeF& room : rooms)
                checkPlaces(drawLayer(model), room);
        }
    }

private:
    void checkPlaces(const LayerDrawing& drawing, const QSizeF& room)
    {
        const LayerLayout layout(drawing, drawingFonts(), room);
        QCOMPARE(layout.boxes().size(), drawing.boxes().size());
        QVERIFY2(overlapIn(layout.texts()).isEmpty(), qPrintable(overlapIn(layout.texts())));
        QVERIFY2(strayText(layout).isEmpty(), qPrintable(strayText(layout)));
        QVERIFY(areApart(layout.boxes()));
        const QRectF all(QPointF(), layout.size());
        QVERIFY(all.width() <= room.width());
        for (const QRectF& box : layout.boxes())
            QVERIFY(all.contains(box));
    }

    std::unique_ptr<LayerPanel> m_panel;
    LayerPicture* m_picture = nullptr;
};

QTEST_MAIN(TestLayerPanel)
#include "tst_layer_panel.moc"
