#include "app/charts/pipeline_gantt.h"

#include <algorithm>
#include <cmath>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include "app/base/theme.h"
#include "app/charts/chart_fills.h"
#include "app/plan/step_labels.h"
#include "app/series/axis.h"

namespace trainyard {

namespace {

constexpr int kLabelWidth = 60;
constexpr int kAxisHeight = 18;
constexpr int kTickRoom = 80;       ///< pixels from tick to tick, about
constexpr double kRowGap = 2;       ///< between rows that are high enough
constexpr double kRowWithGap = 5;   ///< pixels from which on a row leaves one
constexpr double kRowWithText = 11; ///< and from which on numbers are readable
constexpr double kTextMargin = 4;
constexpr double kMaxRowHeight = 40;
constexpr double kThinnest = 0.5;      ///< pixels; what is thinner joins its neighbour
constexpr double kZoomStep = 1.25;     ///< of one notch of the wheel
constexpr double kMaxZoom = 1.0 / 4e4; ///< of the step, that fills the width

} // namespace

PipelineGantt::PipelineGantt(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Pipeline over one step"));
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void PipelineGantt::setTimeline(std::shared_ptr<const StepTimeline> timeline, double leastSeconds)
{
    m_timeline = std::move(timeline);
    m_duration = m_timeline ? std::max(leastSeconds, m_timeline->played.duration()) : 0;
    setCurrent({});
    m_picture = {};
    show(0, m_duration);
    update();
}

void PipelineGantt::setRowNames(const QStringList& names)
{
    m_rowNames = names;
    m_picture = {};
    update();
}

void PipelineGantt::setEmptyText(const QString& text)
{
    m_emptyText = text;
    update();
}

const std::vector<TimedAction>& PipelineGantt::actionsOf(int rank) const
{
    return m_timeline->played.ranks[static_cast<std::size_t>(rank)];
}

const TimedAction& PipelineGantt::at(const Spot& spot) const
{
    return actionsOf(spot.rank)[spot.action];
}

int PipelineGantt::ranks() const
{
    return m_timeline ? static_cast<int>(m_timeline->played.ranks.size()) : 0;
}

int PipelineGantt::greatestHeight() const
{
    return m_timeline ? ranks() * static_cast<int>(kMaxRowHeight) + kAxisHeight : sizeHint().height();
}

QRectF PipelineGantt::area() const
{
    return QRectF(rect()).adjusted(kLabelWidth, 0, -1, -kAxisHeight);
}

double PipelineGantt::pixelOf(double seconds) const
{
    return area().left() + (seconds - m_from) / (m_to - m_from) * area().width();
}

double PipelineGantt::secondsAt(double pixel) const
{
    return m_from + (pixel - area().left()) / area().width() * (m_to - m_from);
}

QRectF PipelineGantt::rowOf(int rank) const
{
    const double pitch = std::min(area().height() / ranks(), kMaxRowHeight);
    const double gap = pitch >= kRowWithGap ? kRowGap : 0;
    return {area().left(), area().top() + rank * pitch, area().width(), pitch - gap};
}

QRectF PipelineGantt::barOf(const Spot& spot) const
{
    const QRectF row = rowOf(spot.rank);
    const double left = std::max(row.left(), pixelOf(at(spot).start));
    const double right = std::min(row.right(), pixelOf(at(spot).end));
    return {left, row.top(), right - left, row.height()};
}

std::optional<PipelineGantt::Spot> PipelineGantt::spotAt(const QPointF& position) const
{
    if (ranks() == 0 || !area().contains(position))
        return std::nullopt;
    const double pitch = std::min(area().height() / ranks(), kMaxRowHeight);
    const int rank = static_cast<int>((position.y() - area().top()) / pitch);
    if (rank >= ranks())
        return std::nullopt;
    const double seconds = secondsAt(position.x());
    const auto& actions = actionsOf(rank);
    const auto found = std::lower_bound(actions.begin(), actions.end(), seconds,
                                        [](const TimedAction& a, double time) { return a.end < time; });
    if (found == actions.end() || found->start > seconds)
        return std::nullopt;
    return Spot{rank, static_cast<std::size_t>(found - actions.begin())};
}

/// Of a row; several stages lie on a rank with several chunks.
QString PipelineGantt::rowText(int rank) const
{
    const bool isStage = m_rowNames.isEmpty() && m_timeline->shape.chunks == 1;
    return isStage ? tr("stage %1").arg(rank) : tr("rank %1").arg(rank);
}

QString PipelineGantt::wordsOf(const Spot& spot) const
{
    const QString where = m_rowNames.isEmpty() ? stageLabel(m_timeline->shape, spot.rank, at(spot).action)
                                               : m_rowNames.value(spot.rank);
    return where + QStringLiteral(" · ") + actionDetails(at(spot));
}

void PipelineGantt::setCurrent(std::optional<Spot> spot)
{
    if (spot == m_current)
        return;
    m_current = spot;
    const QString text = spot ? wordsOf(*spot) : QString();
    setAccessibleDescription(text);
    update();
    emit readOutChanged(text);
}

/// Along a row, or to what another row does at the same time.
void PipelineGantt::walk(int actions, int rows)
{
    if (ranks() == 0)
        return;
    if (!m_current)
        return setCurrent(Spot{});
    Spot spot = *m_current;
    const double when = at(spot).start;
    spot.rank = std::clamp(spot.rank + rows, 0, ranks() - 1);
    const auto& row = actionsOf(spot.rank);
    if (rows != 0) {
        const auto next = std::lower_bound(row.begin(), row.end(), when,
                                           [](const TimedAction& a, double time) { return a.end <= time; });
        spot.action = static_cast<std::size_t>(std::min(next, row.end() - 1) - row.begin());
    }
    const auto last = static_cast<std::ptrdiff_t>(row.size()) - 1;
    spot.action = static_cast<std::size_t>(
        std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(spot.action) + actions, 0, last));
    const double span = m_to - m_from;
    if (at(spot).start < m_from)
        show(at(spot).start, at(spot).start + span);
    else if (at(spot).end > m_to)
        show(at(spot).end - span, at(spot).end);
    setCurrent(spot);
}

void PipelineGantt::show(double from, double to)
{
    if (ranks() == 0)
        return;
    const double span = std::clamp(to - from, m_duration * kMaxZoom, m_duration);
    from = std::clamp(from, 0.0, m_duration - span);
    if (from == m_from && from + span == m_to)
        return;
    m_from = from;
    m_to = from + span;
    m_picture = {};
    update();
    emit shownChanged(m_from, m_to);
}

void PipelineGantt::zoom(double around, double factor)
{
    show(around - (around - m_from) * factor, around + (m_to - around) * factor);
}

QPixmap PipelineGantt::picture() const
{
    QPixmap picture(size() * devicePixelRatio());
    picture.setDevicePixelRatio(devicePixelRatio());
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    QFont small = font();
    small.setPixelSize(metrics::kTickPixels);
    painter.setFont(small);
    paintAxis(painter);
    for (int rank = 0; rank < ranks(); ++rank)
        paintRow(painter, rank);
    return picture;
}

void PipelineGantt::paintAxis(QPainter& painter) const
{
    const ThemeColours& colours = coloursOf(palette());
    const double bottom = rowOf(ranks() - 1).bottom();
    const int wanted = std::max(2, static_cast<int>(area().width()) / kTickRoom);
    for (const double tick : axisTicks(m_from, m_to, {Quantity::Seconds, false, wanted})) {
        const double x = std::round(pixelOf(tick)) + 0.5;
        painter.setPen(colours.grid);
        painter.drawLine(QPointF(x, area().top()), QPointF(x, bottom));
        painter.setPen(colours.muted);
        const QString text = tickText(tick, Quantity::Seconds);
        const double half = painter.fontMetrics().horizontalAdvance(text) / 2.0 + 1;
        const double left = std::clamp(x - half, area().left(), width() - 2 * half);
        painter.drawText(QRectF(left, bottom + 2, 2 * half, kAxisHeight - 2), Qt::AlignCenter, text);
    }
}

void PipelineGantt::paintRow(QPainter& painter, int rank) const
{
    const ThemeColours& colours = coloursOf(palette());
    const QRectF row = rowOf(rank);
    const double pitch = std::min(area().height() / ranks(), kMaxRowHeight);
    const int every = std::max(1, static_cast<int>(std::ceil(metrics::kTickPixels / pitch)));
    if (rank % every == 0) {
        painter.setPen(colours.muted);
        const QString text = rowText(rank);
        const double middle = row.center().y();
        painter.drawText(QRectF(0, middle - metrics::kTickPixels, kLabelWidth - 6, 2 * metrics::kTickPixels),
                         Qt::AlignRight | Qt::AlignVCenter, text);
    }
    painter.fillRect(row, colours.raised);
    const auto& actions = actionsOf(rank);
    auto action = std::lower_bound(actions.begin(), actions.end(), m_from,
                                   [](const TimedAction& a, double time) { return a.end < time; });
    double painted = row.left(); // up to here; what hides behind it is left out
    for (; action != actions.end() && action->start < m_to; ++action) {
        const double right = std::min(row.right(), pixelOf(action->end));
        const double left = std::max(painted, pixelOf(action->start));
        if (right - left < kThinnest)
            continue;
        paintAction(painter, *action, {left, row.top(), right - left, row.height()});
        painted = right;
    }
}

void PipelineGantt::paintAction(QPainter& painter, const TimedAction& timed, const QRectF& bar) const
{
    const ThemeColours& colours = coloursOf(palette());
    const ActionFill fill = fillOf(timed.action, m_timeline->shape.chunks, colours);
    painter.fillRect(bar, fill.brush);
    if (bar.width() < 3)
        return;
    painter.fillRect(QRectF(bar.right() - 1, bar.top(), 1, bar.height()), colours.panel);
    if (timed.action.microBatch < 0 || bar.height() < kRowWithText)
        return;
    const QString number = QString::number(timed.action.microBatch);
    if (painter.fontMetrics().horizontalAdvance(number) + kTextMargin > bar.width())
        return;
    painter.setPen(fill.text);
    painter.drawText(bar, Qt::AlignCenter, number);
}

void PipelineGantt::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const ThemeColours& colours = coloursOf(palette());
    if (ranks() == 0) {
        painter.setPen(colours.muted);
        painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap, m_emptyText);
        return;
    }
    if (m_picture.isNull())
        m_picture = picture();
    painter.drawPixmap(0, 0, m_picture);
    if (m_current) {
        painter.setPen(QPen(colours.text, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(barOf(*m_current).adjusted(1, 1, -1, -1));
    }
    if (hasFocus()) {
        painter.setPen(colours.accent);
        painter.drawRect(area().adjusted(0, 0, -1, 0));
    }
}

void PipelineGantt::resizeEvent(QResizeEvent* event)
{
    m_picture = {};
    QWidget::resizeEvent(event);
}

void PipelineGantt::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        m_picture = {};
    QWidget::changeEvent(event);
}

void PipelineGantt::mouseMoveEvent(QMouseEvent* event)
{
    if (ranks() == 0)
        return;
    if (m_dragged) {
        const double moved = secondsAt(m_dragged->x()) - secondsAt(event->position().x());
        m_dragged = event->position();
        return show(m_from + moved, m_to + moved);
    }
    setCurrent(spotAt(event->position()));
}

void PipelineGantt::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        m_dragged = event->position();
}

void PipelineGantt::mouseReleaseEvent(QMouseEvent*)
{
    m_dragged.reset();
}

void PipelineGantt::mouseDoubleClickEvent(QMouseEvent*)
{
    show(0, m_duration);
}

void PipelineGantt::leaveEvent(QEvent*)
{
    setCurrent({});
}

void PipelineGantt::wheelEvent(QWheelEvent* event)
{
    if (ranks() == 0)
        return QWidget::wheelEvent(event);
    zoom(secondsAt(event->position().x()), std::pow(kZoomStep, -event->angleDelta().y() / 120.0));
    setCurrent(spotAt(event->position()));
    event->accept();
}

void PipelineGantt::keyPressEvent(QKeyEvent* event)
{
    const double middle = (m_from + m_to) / 2;
    switch (event->key()) {
    case Qt::Key_Left:
        return walk(-1, 0);
    case Qt::Key_Right:
        return walk(+1, 0);
    case Qt::Key_Up:
        return walk(0, -1);
    case Qt::Key_Down:
        return walk(0, +1);
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return zoom(m_current ? at(*m_current).start : middle, 1 / kZoomStep);
    case Qt::Key_Minus:
        return zoom(m_current ? at(*m_current).start : middle, kZoomStep);
    case Qt::Key_Home:
        return show(0, m_duration);
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace trainyard
