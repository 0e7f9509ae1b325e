#pragma once

#include <vector>

#include <QList>

#include "app/charts/chart_panel.h"
#include "app/series/smoothed_series.h"

namespace trainyard {

class ChartLegend;

/// One layer of a stack, from the bottom up.
struct ChartLayer {
    QString name;
    SeriesColumn y;
    QColor light; ///< in the light scheme
    QColor dark;  ///< in the dark scheme
};

/// Stacked layers over steps, tokens or time, such as the parts of the step time. A pixel with many steps
/// shows the newest.
class StackedChart : public ChartPanel {
    Q_OBJECT

public:
    StackedChart(const QString& subject, Quantity quantity, QWidget* parent = nullptr);

    /// Every layer has as many values as x.
    void setLayers(const SeriesColumn& x, const QList<ChartLayer>& layers);

    QList<ChartValue> valuesAt(double x) const override;

protected:
    void rebuild() override;
    bool isEmpty() const override { return m_x.isEmpty(); }
    QCPRange fullSpan() const override;
    double snapped(double x) const override;
    QString readOut(double x, bool isCursor) const override;
    void showValues(double x) override;
    void writeCsv(QTextStream& out) const override;
    double neighbour(double x, int direction) const override;

private:
    QList<qsizetype> shownRows() const;
    QList<QList<double>> stackedLayers(const QList<qsizetype>& rows);

    SeriesColumn m_x;
    QList<ChartLayer> m_layers;
    std::vector<SmoothedSeries> m_smoothed; ///< of each layer, while smoothing is on
    ChartLegend* m_legend;
};

} // namespace trainyard
