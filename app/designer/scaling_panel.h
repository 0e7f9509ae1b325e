#pragma once

#include <QWidget>

#include "app/plan/scaling_outlook.h"

class QComboBox;

namespace trainyard {

class ChartLegend;
class ElidedLabel;
class ScalingChart;

/// The predicted scaling with its switches: the same global batch or the same work per device, efficiency or
/// throughput; and where what is published beside comes from.
class ScalingPanel : public QWidget {
    Q_OBJECT
public:
    explicit ScalingPanel(QWidget* parent = nullptr);

    void showOutlook(const ScalingOutlook& outlook);
    /// Of the design that is kept for comparison; one without steps = of none.
    void showKept(const ScalingOutlook& outlook);
    /// There is nothing to show, and why.
    void showNothing(const QString& why);

signals:
    void scalingChosen(trainyard::Scaling scaling);

private:
    void showLegend();

    ScalingOutlook m_outlook;
    bool m_hasKept = false;
    QComboBox* m_scaling;
    QComboBox* m_figure;
    ElidedLabel* m_readOut;
    ScalingChart* m_chart;
    ChartLegend* m_legend;
};

} // namespace trainyard
