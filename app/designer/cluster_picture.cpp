#include "app/designer/cluster_picture.h"

#include <algorithm>

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/designer/device_cell.h"
#include "app/designer/model/cluster_labels.h"

namespace trainyard {

namespace {

/// Moves lines to the middle of pixels, where they are sharp.
QRectF onPixels(const QRect& rect)
{
    return QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5);
}

} // namespace

ClusterPicture::ClusterPicture(QWidget* parent) : QAbstractScrollArea(parent)
{
    setAccessibleName(tr("Cluster"));
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setAutoFillBackground(false);
}

void ClusterPicture::setCluster(const DeviceMap& map, const GroupedMemory& memory)
{
    m_map = map;
    m_memory = memory;
    if (m_current >= static_cast<int>(m_map.devices().size()))
        m_current = -1;
    arrange();
    describe();
}

void ClusterPicture::arrange()
{
    const QSize room = maximumViewportSize();
    m_layout = m_scale ? ClusterLayout(m_map, room.width(), *m_scale) : ClusterLayout::fitting(m_map, room);
    if (m_layout.height() > room.height())
        m_layout = {m_map, room.width() - verticalScrollBar()->sizeHint().width(), m_layout.scaleNumber()};
    verticalScrollBar()->setRange(0, std::max(0, m_layout.height() - room.height()));
    verticalScrollBar()->setPageStep(room.height());
    verticalScrollBar()->setSingleStep(m_layout.scale().cell);
    viewport()->update();
}

void ClusterPicture::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    arrange();
}

int ClusterPicture::scrolled() const
{
    return verticalScrollBar()->value();
}

QRect ClusterPicture::cellRect(int device) const
{
    return m_layout.cell(device).translated(0, -scrolled());
}

void ClusterPicture::setAxis(GroupAxis axis)
{
    if (axis == m_axis)
        return;
    m_axis = axis;
    viewport()->update();
    emit axisChanged(axis);
}

void ClusterPicture::setCurrent(int device)
{
    if (device == m_current)
        return;
    m_current = device;
    if (device >= 0) {
        const QRect cell = cellRect(device);
        const int below = cell.bottom() + m_layout.scale().padding - viewport()->height();
        const int above = cell.top() - m_layout.scale().padding - m_layout.scale().title;
        verticalScrollBar()->setValue(scrolled() + (above < 0 ? above : std::max(0, below)));
    }
    describe();
    viewport()->update();
    emit currentChanged(device);
}

void ClusterPicture::describe()
{
    setAccessibleDescription(m_current < 0 ? describeCluster(m_map, m_memory)
                                           : describeDevice(m_map, m_memory, m_current));
}

void ClusterPicture::paintEvent(QPaintEvent* event)
{
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(0, -scrolled());
    const QRect exposed = event->rect().translated(0, scrolled());
    for (int node = 0; node < static_cast<int>(m_map.nodes().size()); ++node) {
        if (m_layout.box(node).intersects(exposed))
            paintBox(painter, node, exposed);
    }
    paintFocus(painter);
}

/// Paints a ring around the current device or, if there is none, around the first node.
void ClusterPicture::paintFocus(QPainter& painter) const
{
    const ThemeColours& colours = coloursOf(palette());
    if (m_current >= 0) {
        paintDeviceRing(painter, onPixels(m_layout.cell(m_current)), colours);
    } else if (hasFocus() && !m_map.nodes().empty()) {
        painter.setPen(colours.accent);
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(onPixels(m_layout.box(0)), metrics::kHalf, metrics::kHalf);
    }
}

void ClusterPicture::focusInEvent(QFocusEvent* event)
{
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
}

void ClusterPicture::focusOutEvent(QFocusEvent* event)
{
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

void ClusterPicture::paintBox(QPainter& painter, int node, const QRect& exposed) const
{
    const ThemeColours& colours = coloursOf(palette());
    const ClusterScale& scale = m_layout.scale();
    painter.setPen(colours.border);
    painter.setBrush(colours.window);
    const double radius = std::min(metrics::kRadius, scale.padding);
    painter.drawRoundedRect(onPixels(m_layout.box(node)), radius, radius);
    if (scale.title > 0)
        paintTitle(painter, node);
    const MappedNode& mapped = m_map.nodes()[static_cast<std::size_t>(node)];
    for (int device = mapped.firstDevice; device < mapped.firstDevice + mapped.shown; ++device) {
        if (m_layout.cell(device).intersects(exposed))
            paintCell(painter, device);
    }
}

void ClusterPicture::paintTitle(QPainter& painter, int node) const
{
    const ThemeColours& colours = coloursOf(palette());
    const ClusterScale& scale = m_layout.scale();
    const MappedNode& mapped = m_map.nodes()[static_cast<std::size_t>(node)];
    const QRect box = m_layout.box(node);
    const QRect line(box.left() + scale.padding, box.top() + 2, box.width() - 2 * scale.padding, scale.title);
    const QString count = tr("%1 / %2").arg(mapped.used).arg(mapped.slotCount);
    painter.setPen(colours.muted);
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, count);
    painter.setPen(colours.text);
    const int room = line.width() - fontMetrics().horizontalAdvance(count) - metrics::kGap;
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(oneLine(mapped.host), Qt::ElideMiddle, room));
}

void ClusterPicture::paintCell(QPainter& painter, int device) const
{
    const MappedDevice& mapped = m_map.device(device);
    const int group = m_memory.ofDevice[static_cast<std::size_t>(device)];
    const auto shared = m_current < 0 ? std::nullopt : m_map.sharedGroup(m_current, device);
    DeviceCell cell{.rect = onPixels(m_layout.cell(device)),
                    .group = mapped.groupOf(m_axis),
                    .stage = mapped.at.pipeline,
                    .free = mapped.isFree()};
    cell.fits = group < 0 || m_memory.groups[static_cast<std::size_t>(group)].fits();
    cell.faded = m_current >= 0 && m_current != device && !shared;
    cell.mark = shared ? letterOf(*shared) : QChar();
    paintDeviceCell(painter, cell, coloursOf(palette()));
}

void ClusterPicture::mousePressEvent(QMouseEvent* event)
{
    setCurrent(m_layout.deviceAt(event->position().toPoint() + QPoint(0, scrolled())));
}

void ClusterPicture::zoom(int steps)
{
    m_scale = std::clamp(m_layout.scaleNumber() - steps, 0, ClusterLayout::kScales - 1);
    arrange();
}

void ClusterPicture::wheelEvent(QWheelEvent* event)
{
    if (event->modifiers() & Qt::ControlModifier)
        zoom(event->angleDelta().y() > 0 ? 1 : -1);
    else
        QAbstractScrollArea::wheelEvent(event);
}

/// True when the key moves between devices.
bool ClusterPicture::move(int key)
{
    if (isEmpty())
        return false;
    const int last = static_cast<int>(m_map.devices().size()) - 1;
    const bool none = m_current < 0;
    switch (key) {
    case Qt::Key_Left:
        setCurrent(std::max(m_current - 1, 0));
        return true;
    case Qt::Key_Right:
        setCurrent(std::min(m_current + 1, last));
        return true;
    case Qt::Key_Up:
        setCurrent(none ? 0 : m_layout.deviceBeyond(m_current, -1));
        return true;
    case Qt::Key_Down:
        setCurrent(none ? 0 : m_layout.deviceBeyond(m_current, +1));
        return true;
    case Qt::Key_Home:
        setCurrent(0);
        return true;
    case Qt::Key_End:
        setCurrent(last);
        return true;
    default:
        return false;
    }
}

void ClusterPicture::keyPressEvent(QKeyEvent* event)
{
    if (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier))
        return QAbstractScrollArea::keyPressEvent(event); // a shortcut of the window
    switch (event->key()) {
    case Qt::Key_D:
        return setAxis(GroupAxis::Data);
    case Qt::Key_P:
        return setAxis(GroupAxis::Pipeline);
    case Qt::Key_T:
        return setAxis(GroupAxis::Tensor);
    case Qt::Key_E:
        return setAxis(GroupAxis::Expert);
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return zoom(+1);
    case Qt::Key_Minus:
        return zoom(-1);
    case Qt::Key_0:
        m_scale.reset();
        return arrange();
    case Qt::Key_Escape:
        if (m_current < 0)
            return event->ignore();
        return setCurrent(-1);
    default:
        if (!move(event->key()))
            QAbstractScrollArea::keyPressEvent(event);
    }
}

QString ClusterPicture::toolTipAt(const QPoint& position) const
{
    if (const int device = m_layout.deviceAt(position); device >= 0) {
        const QString partners = describePartners(m_map, device);
        return describeDevice(m_map, m_memory, device) +
               (partners.isEmpty() ? partners : QLatin1Char('\n') + partners);
    }
    const int node = m_layout.nodeAt(position);
    return node < 0 ? QString() : describeNode(m_map.nodes()[static_cast<std::size_t>(node)]);
}

bool ClusterPicture::viewportEvent(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QAbstractScrollArea::viewportEvent(event);
    const auto& help = static_cast<const QHelpEvent&>(*event);
    QToolTip::showText(help.globalPos(), toolTipOf(toolTipAt(help.pos() + QPoint(0, scrolled()))),
                       viewport());
    return true;
}

} // namespace trainyard
