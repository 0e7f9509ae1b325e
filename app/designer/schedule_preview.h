#pragma once

#include <QPointF>
#include <QPolygonF>
#include <QWidget>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// The learning rate over the steps of the run, as computed by the worker. Hovering shows the rate at a
/// step.
class SchedulePreview : public QWidget {
    Q_OBJECT
public:
    explicit SchedulePreview(QWidget* parent = nullptr);

    void setSpec(const RunSpec& spec);
    QSize sizeHint() const override { return {480, 132}; }
    QSize minimumSizeHint() const override { return {240, 96}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    QRectF plotArea() const;
    QPolygonF curve(const QRectF& area) const;
    void paintAxes(QPainter& painter, const QRectF& area) const;

    OptimizerSpec m_optimizer;
    int m_steps = 1;
};

} // namespace trainyard
