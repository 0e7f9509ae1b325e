#include "app/designer/placement_letters.h"

#include <algorithm>
#include <utility>

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "app/base/theme.h"

namespace trainyard {

namespace {

constexpr int kTile = 28;
constexpr int kPitch = kTile + metrics::kHalf;
constexpr int kTiles = 3;

} // namespace

PlacementLetters::PlacementLetters(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Placement order"));
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setCursor(Qt::OpenHandCursor);
    setLetters(m_letters);
}

void PlacementLetters::setLetters(const QString& letters)
{
    m_drag.reset();
    m_letters = letters;
    setAccessibleDescription(tr("%1, from slowest to fastest; move %2 with Alt and the arrow keys")
                                 .arg(m_letters, m_letters.mid(m_current, 1)));
    update();
}

void PlacementLetters::setHints(const std::array<QString, 3>& hints)
{
    m_hints = hints;
}

QSize PlacementLetters::sizeHint() const
{
    return {kTiles * kPitch - metrics::kHalf, kTile};
}

QRect PlacementLetters::tile(int position) const
{
    return {position * kPitch, 0, kTile, kTile};
}

int PlacementLetters::positionAt(int x) const
{
    return std::clamp(x / kPitch, 0, kTiles - 1);
}

void PlacementLetters::setCurrent(int position)
{
    m_current = std::clamp(position, 0, kTiles - 1);
    setLetters(m_letters);
}

/// Swaps the dragged letter with its neighbour once it is past the middle of the neighbour's tile.
void PlacementLetters::dragTo(int x)
{
    m_drag->x = std::clamp(x - m_drag->grip, 0, (kTiles - 1) * kPitch);
    const int position = positionAt(m_drag->x + kTile / 2);
    const QChar letter = m_letters[m_current];
    m_letters.remove(m_current, 1).insert(position, letter);
    m_current = position;
    update();
}

void PlacementLetters::moveCurrent(int by)
{
    const int position = std::clamp(m_current + by, 0, kTiles - 1);
    if (position == m_current)
        return;
    std::swap(m_letters[m_current], m_letters[position]);
    setCurrent(position);
    emit reordered(m_letters);
}

void PlacementLetters::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return QWidget::mousePressEvent(event);
    const int x = event->position().toPoint().x();
    setCurrent(positionAt(x));
    m_drag = Drag{x - tile(m_current).left(), tile(m_current).left(), m_letters};
    setCursor(Qt::ClosedHandCursor);
}

void PlacementLetters::mouseMoveEvent(QMouseEvent* event)
{
    if (m_drag)
        dragTo(event->position().toPoint().x());
}

void PlacementLetters::mouseReleaseEvent(QMouseEvent*)
{
    setCursor(Qt::OpenHandCursor);
    const auto drag = std::exchange(m_drag, std::nullopt);
    update();
    if (drag && drag->letters != m_letters)
        emit reordered(m_letters);
}

void PlacementLetters::keyPressEvent(QKeyEvent* event)
{
    const int by = event->key() == Qt::Key_Left ? -1 : event->key() == Qt::Key_Right ? 1 : 0;
    if (event->key() == Qt::Key_Escape && m_drag)
        setLetters(QString(m_drag->letters));
    else if (by == 0 || m_drag)
        QWidget::keyPressEvent(event);
    else if (event->modifiers() & Qt::AltModifier)
        moveCurrent(by);
    else
        setCurrent(m_current + by);
}

void PlacementLetters::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    update();
}

void PlacementLetters::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    update();
}

bool PlacementLetters::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto& help = static_cast<const QHelpEvent&>(*event);
    QToolTip::showText(help.globalPos(), m_hints[static_cast<std::size_t>(positionAt(help.pos().x()))], this);
    return true;
}

void PlacementLetters::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    for (int position = 0; position < kTiles; ++position) {
        if (!m_drag || position != m_current)
            paintTile(painter, tile(position), position);
    }
    if (m_drag) // above the others
        paintTile(painter, tile(0).translated(m_drag->x, 0), m_current);
}

void PlacementLetters::paintTile(QPainter& painter, const QRect& tile, int position) const
{
    const ThemeColours& colours = coloursOf(palette());
    const bool chosen = position == m_current && (hasFocus() || m_drag);
    painter.setPen(QPen(chosen ? colours.accent : colours.border, 1));
    painter.setBrush(chosen ? colours.accentTint : colours.raised);
    painter.drawRoundedRect(QRectF(tile).adjusted(0.5, 0.5, -0.5, -0.5), metrics::kRadius, metrics::kRadius);
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    painter.setPen(chosen ? colours.accentText : colours.text);
    painter.drawText(tile, Qt::AlignCenter, m_letters.mid(position, 1));
}

} // namespace trainyard
