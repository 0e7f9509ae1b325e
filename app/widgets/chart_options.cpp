#include "app/widgets/chart_options.h"

#include <cmath>

#include "app/models/display_text.h"

namespace trainyard {

StepColumn columnOf(ChartAxis axis)
{
    switch (axis) {
    case ChartAxis::Step:
        return StepColumn::Step;
    case ChartAxis::Tokens:
        return StepColumn::Tokens;
    case ChartAxis::Time:
        return StepColumn::TrainingSeconds;
    case ChartAxis::Ranks:
        break;
    }
    return StepColumn::Step;
}

Quantity quantityOf(ChartAxis axis)
{
    return axis == ChartAxis::Time ? Quantity::Seconds : Quantity::Number;
}

QString titleOf(ChartAxis axis)
{
    switch (axis) {
    case ChartAxis::Step:
        return QStringLiteral("step");
    case ChartAxis::Tokens:
        return QStringLiteral("tokens");
    case ChartAxis::Time:
        return QStringLiteral("training time");
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
    case ChartAxis::Time:
        return displaySeconds(x);
    case ChartAxis::Ranks:
        return displayCount(std::llround(x)) + QStringLiteral(" ranks");
    }
    return {};
}

} // namespace trainyard
