#pragma once

#include <optional>

#include <QObject>
#include <QString>

#include "app/runs/step_table.h"
#include "app/series/axis.h"
#include "app/series/smoothed_series.h"

namespace trainyard {

/// Unit of the horizontal axis of all charts of a page. Ranks is for scaling studies, which have no steps.
enum class ChartAxis {
    Step,
    Tokens,
    Samples,
    Time, ///< of training: pauses and restarts leave no gap
    Wall, ///< of the clock
    Ranks
};

/// Drawing options, shared by all charts of a page.
struct ChartOptions {
    ChartAxis axis = ChartAxis::Step;
    bool logarithmic = false;  ///< the vertical axis
    bool logarithmicX = false; ///< the horizontal one
    bool hideOutliers = false;
    Smoothing smoothing;

    bool operator==(const ChartOptions&) const = default;
};

StepColumn columnOf(ChartAxis axis); ///< requires an axis that steps have
Quantity quantityOf(ChartAxis axis);
bool canBeLogarithmic(ChartAxis axis);
QString titleOf(ChartAxis axis);                ///< "step", "tokens", "training time"
QString positionText(ChartAxis axis, double x); ///< "step 1 240", "1.2M tokens", "3 min 20 s"

/// Part of the horizontal axis.
struct ChartSpan {
    double from = 0;
    double to = 1;

    bool operator==(const ChartSpan&) const = default;
};

/// Shares one cursor and one zoom among charts.
class ChartLink : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    std::optional<double> cursor() const { return m_cursor; }
    std::optional<ChartSpan> zoom() const { return m_zoom; }

    void setCursor(std::optional<double> x);
    /// Nullopt = everything is shown, including future data.
    void setZoom(std::optional<ChartSpan> span);

signals:
    void cursorChanged();
    void zoomChanged();

private:
    std::optional<double> m_cursor;
    std::optional<ChartSpan> m_zoom;
};

} // namespace trainyard
