#pragma once

#include <optional>

#include <QWidget>

#include "app/charts/chart_legend.h"
#include "app/plan/scaling_forecast.h"

namespace trainyard {

/// The scaling of a design: predicted curve, ideal curve dashed, published results for the same model as
/// points, the design saved for comparison dotted, and a ring at the design's own size. The device axis is
/// logarithmic (base 2). Hovering or the arrow keys show the values at a size.
class ScalingChart : public QWidget {
    Q_OBJECT
public:
    enum class Metric { Efficiency, Throughput };

    explicit ScalingChart(QWidget* parent = nullptr);

    void setForecast(const ScalingForecast& forecast);
    void clear(const QString& why);
    /// A forecast without steps = no comparison.
    void setKept(const ScalingForecast& forecast);
    void setMetric(Metric metric);
    /// Returns the text at the design's own size; empty if unknown.
    QString presentReadOut() const;
    /// Returns the styles of published points, also for the legend.
    static int styleOfPublished(std::size_t index) { return static_cast<int>(index) + 1; }
    static ChartMarker markerOfPublished(std::size_t index);

    QSize sizeHint() const override { return {480, 128}; }
    QSize minimumSizeHint() const override { return {200, 72}; }

signals:
    /// Describes the size under the pointer; empty = none.
    void readOutChanged(const QString& text);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Frame;
    Frame frame() const;
    double valueOf(const ScalingStep& step) const;
    double valueOf(const PublishedPoint& point) const;
    double idealAt(int ranks) const;
    QPolygonF curveOf(const std::vector<ScalingStep>& steps, const Frame& frame) const;
    void paintAxes(QPainter& painter, const Frame& frame) const;
    void paintPrediction(QPainter& painter, const Frame& frame) const;
    void paintPublished(QPainter& painter, const Frame& frame) const;
    void setCurrent(std::optional<std::size_t> step);
    QString readOut(const ScalingStep& step) const;

    ScalingForecast m_forecast;
    std::vector<ScalingStep> m_kept;
    QString m_emptyText;
    Metric m_metric = Metric::Efficiency;
    std::optional<std::size_t> m_current; ///< index into the forecast's steps
};

} // namespace trainyard
