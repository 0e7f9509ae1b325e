#include "app/designer/schedule_preview.h"

#include <algorithm>

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "engine/planner/learning_rate_schedule.h"

namespace trainyard {

namespace {
constexpr int kNamesWidth = 64;
constexpr int kAxisHeight = 22;
constexpr int kMargin = 8; ///< above and on the right
} // namespace

SchedulePreview::SchedulePreview(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Learning rate over the run"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void SchedulePreview::setSpec(const RunSpec& spec)
{
    m_optimizer = spec.optimizer;
    m_steps = std::max(1, spec.launch.steps);
    setAccessibleDescription(tr("peak %1 after %2 of %3 steps")
                                 .arg(displayNumber(m_optimizer.learningRate))
                                 .arg(m_optimizer.warmupSteps)
                                 .arg(m_steps));
    if (m_optimizer.schedule == ScheduleKind::WarmupStableDecay)
        setAccessibleDescription(tr("%1, decays over the last %2")
                                     .arg(accessibleDescription())
                                     .arg(m_optimizer.decayStepsOf(m_steps)));
    update();
}

QRectF SchedulePreview::plotArea() const
{
    return QRectF(rect()).adjusted(kNamesWidth, kMargin, -kMargin, -kAxisHeight);
}

QPolygonF SchedulePreview::curve(const QRectF& area) const
{
    const LearningRateSchedule schedule(m_optimizer, m_steps);
    const double peak = std::max(m_optimizer.learningRate, 1e-300);
    QPolygonF points;
    const int columns = std::clamp(m_steps, 2, std::max(2, static_cast<int>(area.width())));
    for (int column = 0; column < columns; ++column) {
        const double share = static_cast<double>(column) / (columns - 1);
        const auto step = static_cast<std::int64_t>(1 + share * (m_steps - 1) + 0.5);
        points << QPointF(area.left() + share * area.width(),
                          area.bottom() - std::clamp(schedule.at(step) / peak, 0.0, 1.0) * area.height());
    }
    return points;
}

void SchedulePreview::paintAxes(QPainter& painter, const QRectF& area) const
{
    const ThemeColours& colours = coloursOf(palette());
    painter.setPen(colours.grid);
    for (const double share : {0.0, 0.5, 1.0}) {
        const double y = area.bottom() - share * area.height();
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    }
    painter.setPen(colours.muted);
    for (const double share : {0.0, 0.5, 1.0}) {
        const double y = area.bottom() - share * area.height();
        painter.drawText(QRectF(0, y - 10, kNamesWidth - 8, 20), Qt::AlignRight | Qt::AlignVCenter,
                         displayNumber(share * m_optimizer.learningRate));
    }
    const QRectF below(area.left(), area.bottom() + 4, area.width(), kAxisHeight - 4);
    painter.drawText(below, Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("1"));
    painter.drawText(below, Qt::AlignHCenter | Qt::AlignVCenter, tr("step"));
    painter.drawText(below, Qt::AlignRight | Qt::AlignVCenter, displayCount(m_steps));
}

void SchedulePreview::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const QRectF area = plotArea();
    paintAxes(painter, area);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(seriesStyle(coloursOf(palette()).scheme, 0).colour, 2));
    painter.drawPolyline(curve(area));
}

bool SchedulePreview::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto& help = static_cast<const QHelpEvent&>(*event);
    const QRectF area = plotArea();
    const double share = std::clamp((help.pos().x() - area.left()) / std::max(1.0, area.width()), 0.0, 1.0);
    const auto step = static_cast<std::int64_t>(1 + share * (m_steps - 1) + 0.5);
    const double rate = LearningRateSchedule(m_optimizer, m_steps).at(step);
    QToolTip::showText(help.globalPos(),
                       tr("step %1: learning rate %2").arg(displayCount(step)).arg(rate, 0, 'g', 6));
    return true;
}

} // namespace trainyard
