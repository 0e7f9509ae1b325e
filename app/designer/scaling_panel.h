#pragma once

#include <QWidget>

#include "app/plan/scaling_forecast.h"

class QComboBox;

namespace trainyard {

class ChartLegend;
class ElidedLabel;
class ScalingChart;

/// The predicted scaling with its switches: strong or weak scaling, efficiency or throughput; and the
/// sources of published results.
class ScalingPanel : public QWidget {
    Q_OBJECT
public:
    explicit ScalingPanel(QWidget* parent = nullptr);

    void showForecast(const ScalingForecast& forecast);
    /// Forecast of the design saved for comparison; one without steps = none.
    void showKept(const ScalingForecast& forecast);
    /// Shows why there is no prediction.
    void showNothing(const QString& why);

signals:
    void scalingChosen(trainyard::Scaling scaling);

private:
    void showLegend();

    ScalingForecast m_forecast;
    bool m_hasKept = false;
    QComboBox* m_scaling;
    QComboBox* m_metric;
    ElidedLabel* m_readOut;
    ScalingChart* m_chart;
    ChartLegend* m_legend;
};

} // namespace trainyard
