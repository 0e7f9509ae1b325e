#pragma once

#include <optional>

#include <QWidget>

#include "app/charts/chart_marker.h"
#include "app/plan/scaling_outlook.h"

namespace trainyard {

/// How a design scales: the predicted curve, the ideal one dashed, what others published of the same model as
/// points, the curve of a kept design dotted, and a ring at the design's own size. Devices double from line
/// to line. Pointing at a size, or the arrow keys, read it out.
class ScalingChart : public QWidget {
    Q_OBJECT
public:
    enum class Figure { Efficiency, Throughput };

    explicit ScalingChart(QWidget* parent = nullptr);

    void setOutlook(const ScalingOutlook& outlook);
    void clear(const QString& why);
    /// One without steps = no design is compared.
    void setKept(const ScalingOutlook& outlook);
    void setFigure(Figure figure);
    /// Of the design's own size; empty where it is not known.
    QString presentReadOut() const;
    /// How the points of a published curve are painted; for the legend.
    static int styleOfPublished(std::size_t index) { return static_cast<int>(index) + 1; }
    static ChartMarker markerOfPublished(std::size_t index);

    QSize sizeHint() const override { return {480, 128}; }
    QSize minimumSizeHint() const override { return {200, 72}; }

signals:
    /// What is pointed at, in words; empty = nothing.
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

    ScalingOutlook m_outlook;
    std::vector<ScalingStep> m_kept;
    QString m_emptyText;
    Figure m_figure = Figure::Efficiency;
    std::optional<std::size_t> m_current; ///< of the outlook's steps
};

} // namespace trainyard
