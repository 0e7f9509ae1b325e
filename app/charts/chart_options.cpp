#include "app/charts/chart_options.h"

#include <array>
#include <cmath>

#include "app/base/display_text.h"

namespace trainyard {

namespace {

struct AxisKind {
    StepColumn column;
    Quantity quantity;
    const char* title;
};

// In the order of ChartAxis.
constexpr std::array kAxisKinds{
    AxisKind{StepColumn::Step, Quantity::Count, "step"},
    AxisKind{StepColumn::Tokens, Quantity::Number, "tokens"},
    AxisKind{StepColumn::Samples, Quantity::Count, "samples"},
    AxisKind{StepColumn::TrainingSeconds, Quantity::Seconds, "training time"},
    AxisKind{StepColumn::WallSeconds, Quantity::Moment, "time of day"},
    AxisKind{StepColumn::Step, Quantity::Count, "ranks"},
};

} // namespace

StepColumn columnOf(ChartAxis axis)
{
    return kAxisKinds[std::size_t(axis)].column;
}

Quantity quantityOf(ChartAxis axis)
{
    return kAxisKinds[std::size_t(axis)].quantity;
}

bool canBeLogarithmic(ChartAxis axis)
{
    return axis != ChartAxis::Wall && axis != ChartAxis::Ranks;
}

QString titleOf(ChartAxis axis)
{
    return QLatin1String(kAxisKinds[std::size_t(axis)].title);
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
