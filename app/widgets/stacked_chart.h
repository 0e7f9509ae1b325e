#pragma once

#include <QList>

#include "app/widgets/chart_panel.h"

namespace trainyard {

class ChartLegend;

/// One layer of a stack, from the bottom up.
struct ChartLayer {
    QString name;
    QList<double> y;
    QColor light; ///< in the light scheme
    QColor dark;  ///< in the dark scheme
};

/// Layers that add up, over steps, tokens or time: where the time of a step goes.
class StackedChart : public ChartPanel {
    Q_OBJECT

public:
    StackedChart(const QString& subject, Quantity quantity, QWidget* parent = nullptr);

    /// Every layer has as many values as x.
    void setLayers(const QList<double>& x, const QList<ChartLayer>& layers);

protected:
    void rebuild() override;
    bool isEmpty() const override { return m_x.isEmpty(); }
    QCPRange fullSpan() const override;
    double snapped(double x) const override;
    QString readOut(double x, bool isCursor) const override;
    void showValues(double x) override;
    double neighbour(double x, int direction) const override;

private:
    qsizetype nearestRow(double x) const;
    QList<QList<double>> stackedLayers() const;

    QList<double> m_x;
    QList<ChartLayer> m_layers;
    ChartLegend* m_legend;
};

} // namespace trainyard
