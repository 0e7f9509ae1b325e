#include "app/designer/layer/layer_picture.h"

#include <algorithm>
#include <cmath>

#include <QClipboard>
#include <QGuiApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include "app/base/theme.h"
#include "app/designer/layer/layer_painter.h"
#include "app/designer/model/layer_text.h"
#include "app/widgets/item_walk.h"

namespace trainyard {

namespace {

constexpr int kSmallPixels = 12;
constexpr int kScrollStep = 24;

} // namespace

LayerPicture::LayerPicture(QWidget* parent) : QAbstractScrollArea(parent)
{
    setAccessibleName(tr("Model"));
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setAutoFillBackground(false);
    viewport()->setMouseTracking(true);
}

void LayerPicture::setDrawing(const LayerDrawing& drawing)
{
    m_drawing = drawing;
    const auto count = static_cast<int>(drawing.boxes().size());
    m_pointed.reset();
    if (m_current && *m_current >= count)
        m_current.reset();
    arrange();
    tell();
}

void LayerPicture::showNothing(const QString& why)
{
    m_drawing.reset();
    m_emptyText = why;
    m_current.reset();
    m_pointed.reset();
    arrange();
    tell();
}

LayerFonts LayerPicture::fonts() const
{
    LayerFonts fonts{font(), font()};
    fonts.title.setPixelSize(metrics::kTextPixels);
    fonts.title.setWeight(QFont::DemiBold);
    fonts.small.setPixelSize(kSmallPixels);
    return fonts;
}

void LayerPicture::arrange()
{
    const QSize room = maximumViewportSize();
    m_layout = m_drawing ? LayerLayout(*m_drawing, fonts(), room) : LayerLayout();
    if (m_layout.size().height() > room.height()) {
        const int bar = verticalScrollBar()->sizeHint().width();
        m_layout = LayerLayout(*m_drawing, fonts(), QSizeF(room.width() - bar, 0));
    }
    const int height = static_cast<int>(std::ceil(m_layout.size().height()));
    verticalScrollBar()->setRange(0, std::max(0, height - room.height()));
    verticalScrollBar()->setPageStep(room.height());
    verticalScrollBar()->setSingleStep(kScrollStep);
    viewport()->update();
}

QPoint LayerPicture::scrolled() const
{
    return {0, verticalScrollBar()->value()};
}

std::optional<int> LayerPicture::boxAt(const QPointF& position) const
{
    const int box = m_layout.boxAt(position + scrolled());
    return box < 0 ? std::nullopt : std::optional(box);
}

void LayerPicture::setCurrent(std::optional<int> box)
{
    if (box == m_current)
        return;
    m_current = box;
    if (box)
        bringIntoView(*box);
    tell();
    viewport()->update();
}

void LayerPicture::setPointed(std::optional<int> box)
{
    if (box == m_pointed)
        return;
    m_pointed = box;
    tell();
    viewport()->update();
}

void LayerPicture::bringIntoView(int box)
{
    const QRectF rect = m_layout.boxes()[static_cast<std::size_t>(box)].translated(-scrolled());
    const double below = rect.bottom() + metrics::kGap - viewport()->height();
    const double above = rect.top() - metrics::kGap;
    const double move = above < 0 ? above : std::max(0.0, below);
    verticalScrollBar()->setValue(scrolled().y() + static_cast<int>(move));
}

void LayerPicture::tell()
{
    setAccessibleDescription(m_drawing ? text() : m_emptyText);
    const auto shown = m_pointed ? m_pointed : m_current;
    emit readOutChanged(shown ? describeBox(boxOf(*shown), *m_drawing) : QString());
}

QString LayerPicture::text() const
{
    if (!m_drawing)
        return {};
    return m_current ? boxText(boxOf(*m_current), *m_drawing) : drawingText(*m_drawing);
}

void LayerPicture::paintDrawing(QPainter& painter) const
{
    paintLayer(painter, *m_drawing, m_layout, fonts(), coloursOf(palette()), m_pointed.value_or(-1));
}

void LayerPicture::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    if (!m_drawing) {
        painter.setPen(coloursOf(palette()).muted);
        painter.drawText(viewport()->rect(), Qt::AlignCenter | Qt::TextWordWrap, m_emptyText);
        return paintFocusRing(painter, *this, QRectF(viewport()->rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    }
    painter.translate(-scrolled());
    paintDrawing(painter);
    if (m_current || hasFocus())
        paintLayerRing(painter, m_layout, m_current.value_or(-1), coloursOf(palette()));
}

void LayerPicture::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    arrange();
}

void LayerPicture::changeEvent(QEvent* event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        arrange();
}

void LayerPicture::mouseMoveEvent(QMouseEvent* event)
{
    setPointed(boxAt(event->position()));
}

void LayerPicture::mousePressEvent(QMouseEvent* event)
{
    setCurrent(boxAt(event->position()));
}

void LayerPicture::focusInEvent(QFocusEvent* event)
{
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
}

void LayerPicture::focusOutEvent(QFocusEvent* event)
{
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

void LayerPicture::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Copy) && m_drawing)
        return QGuiApplication::clipboard()->setText(text());
    const auto walk = walkOf(*event, m_current, static_cast<int>(m_layout.boxes().size()));
    if (!walk)
        return QAbstractScrollArea::keyPressEvent(event);
    setCurrent(walk->to);
    if (!m_current)
        return QToolTip::hideText();
    const QRectF box = m_layout.boxes()[static_cast<std::size_t>(*m_current)].translated(-scrolled());
    QToolTip::showText(viewport()->mapToGlobal(box.bottomLeft().toPoint()),
                       boxToolTip(boxOf(*m_current), *m_drawing), viewport());
}

bool LayerPicture::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::Leave)
        setPointed({});
    if (event->type() != QEvent::ToolTip)
        return QAbstractScrollArea::viewportEvent(event);
    const auto& help = static_cast<const QHelpEvent&>(*event);
    const auto box = boxAt(help.pos());
    QToolTip::showText(help.globalPos(), box ? boxToolTip(boxOf(*box), *m_drawing) : QString(), viewport());
    return true;
}

} // namespace trainyard
