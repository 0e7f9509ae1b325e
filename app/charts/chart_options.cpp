#include "app/charts/chart_options.h"

#include <cmath>

#include "app/base/display_text.h"

namespace trainyard {

StepColumn columnOf(ChartAxis axis)
{
    switch (axis) {
    case ChartAxis::Step:
        return StepColumn::Step;
    case ChartAxis::Tokens:
        return StepColumn::Tokens;
    case ChartAxis::Samples:
        return StepColumn::Samples;
    case ChartAxis::Time:
        return StepColumn::TrainingSeconds;
    case ChartAxis::Wall:
        return StepColumn::WallSeconds;
    case ChartAxis::Ranks:
        break;
    }
    return StepColumn::Step;
}

Quantity quantityOf(ChartAxis axis)
{
    switch (axis) {
    case ChartAxis::Time:
        return Quantity::Seconds;
    case ChartAxis::Wall:
        return Quantity::Moment;
    default:
        return Quantity::Number;
    }
}

bool canBeLogarithmic(ChartAxis axis)
{
    return axis != ChartAxis::Wall && axis != ChartAxis::Ranks;
}

QString titleOf(ChartAxis axis)
{
    switch (axis) {
    case ChartAxis::Step:
        return QStringLiteral("step");
    case ChartAxis::Tokens:
        return QStringLiteral("tokens");
    case ChartAxis::Samples:
        return QStringLiteral("samples");
    case ChartAxis::Time:
        return QStringLiteral("training time");
    case ChartAxis::Wall:
        return QStringLiteral("time of day");
    case ChartAxis::Ranks:
        return QStringLiteral("ranks");
    }
    return {};
}

QString positionText(ChartAxis axis, double x)
{
    switch (axis) {
    case ChartAxis::Step:
        return QStringLiteral("step ") + displayCount(std::llround(x));
    case ChartAxis::Tokens:
        return tickText(std::round(x), Quantity::Number) + QStringLiteral(" tokens");
    case ChartAxis::Samples:
        return displayCount(std::llround(x)) + QStringLiteral(" samples");
    case ChartAxis::Time:
        return displaySeconds(x);
    case ChartAxis::Wall:
        return figureText(x, Quantity::Moment);
    case ChartAxis::Ranks:
        return displayCount(std::llround(x)) + QStringLiteral(" ranks");
    }
    return {};
}

void ChartLink::setCursor(std::optional<double> x)
{
    if (x == m_cursor)
        return;
    m_cursor = x;
    emit cursorChanged();
}

void ChartLink::setZoom(std::optional<ChartSpan> span)
{
    if (span == m_zoom)
        return;
    m_zoom = span;
    emit zoomChanged();
}

} // namespace trainyard
