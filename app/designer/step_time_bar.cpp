#include "app/designer/step_time_bar.h"

#include <algorithm>

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/charts/chart_fills.h"
#include "app/plan/step_labels.h"
#include "app/widgets/item_walk.h"

namespace trainyard {

namespace {

constexpr int kLabel = 18;
constexpr int kBar = 20;
constexpr int kKeptBar = 10;
constexpr int kGap = 6;
constexpr int kLegendLine = 20;
constexpr int kLegendColumns = 2;
constexpr int kLegendCell = 232; ///< at most: figures stay near their names in a wide window
constexpr int kCellWithShare = 216;
constexpr double kThinnest = 0.5; ///< pixels that can be seen
constexpr double kOthers = 0.35;  ///< opacity of the causes that are not pointed at

} // namespace

StepTimeBar::StepTimeBar(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Planned step time by cause"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
}

void StepTimeBar::setSteps(const std::optional<StepTime>& step, const std::optional<StepTime>& kept)
{
    m_step = step;
    m_kept = kept;
    describe();
    updateGeometry();
    update();
}

/// Describes the current cause; if it is gone, the whole step.
void StepTimeBar::describe()
{
    if (m_current && !std::ranges::count(shownCauses(), *m_current))
        m_current.reset();
    if (!m_step)
        return setAccessibleDescription(tr("unknown"));
    if (m_current)
        return setAccessibleDescription(causeDetails(*m_current, *m_step));
    QStringList parts{tr("%1 in total").arg(displaySeconds(m_step->seconds))};
    const auto seconds = byCommonCause(m_step->byCause);
    for (std::size_t i = 0; i < kCommonCauses; ++i)
        parts << QStringLiteral("%1 %2").arg(toQString(nameOf(static_cast<CommonCause>(i))),
                                             displaySeconds(seconds[i]));
    if (m_kept)
        parts << tr("design saved for comparison: %1 in total").arg(displaySeconds(m_kept->seconds));
    setAccessibleDescription(parts.join(QStringLiteral(", ")));
}

/// Returns the causes with a share in the step or in the saved one.
std::vector<CommonCause> StepTimeBar::shownCauses() const
{
    std::vector<CommonCause> causes;
    const auto own = m_step ? byCommonCause(m_step->byCause) : TimeByCommonCause{};
    const auto kept = m_kept ? byCommonCause(m_kept->byCause) : TimeByCommonCause{};
    for (std::size_t i = 0; i < kCommonCauses; ++i) {
        if (own[i] > 0 || kept[i] > 0)
            causes.push_back(static_cast<CommonCause>(i));
    }
    return causes;
}

int StepTimeBar::legendTop() const
{
    return barOf(m_kept.has_value()).bottom() + 1 + kGap;
}

QSize StepTimeBar::sizeHint() const
{
    const int lines = (static_cast<int>(shownCauses().size()) + kLegendColumns - 1) / kLegendColumns;
    return {480, legendTop() + std::max(1, lines) * kLegendLine + 4};
}

QRect StepTimeBar::barOf(bool kept) const
{
    const QRect bar(0, kLabel, width(), kBar);
    return kept ? QRect(0, bar.bottom() + 1 + kGap / 2, width(), kKeptBar) : bar;
}

QRect StepTimeBar::legendCell(std::size_t entry) const
{
    const int columnWidth = std::min(kLegendCell, width() / kLegendColumns);
    const int index = static_cast<int>(entry);
    return {index % kLegendColumns * columnWidth, legendTop() + index / kLegendColumns * kLegendLine,
            columnWidth, kLegendLine};
}

double StepTimeBar::secondsPerPixel() const
{
    const double longest = std::max(m_step ? m_step->seconds : 0, m_kept ? m_kept->seconds : 0);
    return std::max(longest, 1e-9) / std::max(1, width() - 2);
}

void StepTimeBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const ThemeColours& colours = coloursOf(palette());
    const QRect label(0, 0, width(), kLabel);
    if (!m_step)
        return;
    painter.setPen(colours.text);
    painter.drawText(label, Qt::AlignRight | Qt::AlignVCenter, displaySeconds(m_step->seconds));
    painter.setPen(colours.muted);
    painter.drawText(
        label, Qt::AlignLeft | Qt::AlignVCenter,
        m_kept ? tr("this design above, the saved one (%1) below").arg(displaySeconds(m_kept->seconds))
               : tr("busiest rank, one optimizer step"));
    paintBar(painter, *m_step, barOf(false), false);
    if (m_kept)
        paintBar(painter, *m_kept, barOf(true), true);
    paintLegend(painter);
    paintFocusRing(painter, *this, QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
}

/// Paints the bar; that of the saved design as an outline only.
void StepTimeBar::paintBar(QPainter& painter, const StepTime& step, const QRectF& bar, bool kept) const
{
    const ThemeColours& colours = coloursOf(palette());
    const auto seconds = byCommonCause(step.byCause);
    double left = bar.left() + 0.5;
    for (std::size_t i = 0; i < kCommonCauses; ++i) {
        const double width = seconds[i] / secondsPerPixel();
        const QRectF part(left, bar.top(), width, bar.height());
        left += width;
        if (width < kThinnest)
            continue;
        const auto cause = static_cast<CommonCause>(i);
        const QColor colour = colourOf(cause, colours.scheme);
        painter.setOpacity(m_current && m_current != cause ? kOthers : 1);
        if (kept)
            paintCompared(painter, part, colour);
        else
            paintPlanned(painter, part, colour);
    }
    painter.setOpacity(1);
}

void StepTimeBar::paintLegend(QPainter& painter) const
{
    const ThemeColours& colours = coloursOf(palette());
    const auto seconds = byCommonCause(m_step->byCause);
    const bool hasShares = legendCell(0).width() >= kCellWithShare; // otherwise only in the tool tip
    const int shareWidth = hasShares ? fontMetrics().horizontalAdvance(displayPercent(0.999)) + 8 : 0;
    const auto causes = shownCauses();
    for (std::size_t i = 0; i < causes.size(); ++i) {
        const CommonCause cause = causes[i];
        const double taken = seconds[static_cast<std::size_t>(cause)];
        const QRect cell = legendCell(i);
        painter.setOpacity(m_current && m_current != cause ? kOthers : 1);
        paintPlanned(painter, QRectF(cell.left(), cell.top() + 5, 11, 11), colourOf(cause, colours.scheme));
        const QRect text = cell.adjusted(18, 0, -16, 0);
        painter.setPen(colours.muted);
        painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, toQString(nameOf(cause)));
        if (hasShares)
            painter.drawText(text, Qt::AlignRight | Qt::AlignVCenter,
                             displayPercent(m_step->seconds > 0 ? taken / m_step->seconds : 0));
        painter.setPen(colours.text);
        painter.drawText(text.adjusted(0, 0, -shareWidth, 0), Qt::AlignRight | Qt::AlignVCenter,
                         displaySeconds(taken));
    }
    painter.setOpacity(1);
}

std::optional<CommonCause> StepTimeBar::causeAt(const QPoint& position) const
{
    if (!m_step)
        return std::nullopt;
    const auto causes = shownCauses();
    for (std::size_t i = 0; i < causes.size(); ++i) {
        if (legendCell(i).contains(position))
            return causes[i];
    }
    const bool kept = m_kept && barOf(true).contains(position);
    if (!kept && !barOf(false).contains(position))
        return std::nullopt;
    const auto seconds = byCommonCause((kept ? m_kept : m_step)->byCause);
    double end = 0;
    for (std::size_t i = 0; i < kCommonCauses; ++i) {
        end += seconds[i];
        if (position.x() * secondsPerPixel() < end)
            return static_cast<CommonCause>(i);
    }
    return std::nullopt;
}

void StepTimeBar::setCurrent(std::optional<CommonCause> cause)
{
    if (cause == m_current)
        return;
    m_current = cause;
    describe();
    update();
}

void StepTimeBar::mouseMoveEvent(QMouseEvent* event)
{
    setCurrent(causeAt(event->pos()));
}

void StepTimeBar::leaveEvent(QEvent*)
{
    setCurrent({});
}

void StepTimeBar::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    setCurrent({});
}

void StepTimeBar::keyPressEvent(QKeyEvent* event)
{
    const auto causes = shownCauses();
    const auto found = std::ranges::find(causes, m_current);
    const auto current = found == causes.end() ? std::nullopt : std::optional<int>(found - causes.begin());
    const auto walk = walkOf(*event, current, m_step ? static_cast<int>(causes.size()) : 0);
    if (!walk)
        return QWidget::keyPressEvent(event);
    if (!walk->to)
        return setCurrent({});
    const auto entry = static_cast<std::size_t>(*walk->to);
    setCurrent(causes[entry]);
    QToolTip::showText(mapToGlobal(legendCell(entry).bottomLeft()), causeDetails(causes[entry], *m_step),
                       this);
}

bool StepTimeBar::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto& help = static_cast<const QHelpEvent&>(*event);
    const auto cause = causeAt(help.pos());
    const bool kept = m_kept && barOf(true).contains(help.pos());
    QToolTip::showText(help.globalPos(), cause ? causeDetails(*cause, kept ? *m_kept : *m_step) : QString(),
                       this);
    return true;
}

} // namespace trainyard
