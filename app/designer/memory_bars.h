#pragma once

#include <QWidget>

#include "app/models/planned_run.h"

namespace trainyard {

/// The planned memory per device as stacked bars, one per host, each beside what the host has: a category's
/// outline and tint while it is a plan, the free rest hatched, what does not fit beyond a red line. Below,
/// the categories in figures.
class MemoryBars : public QWidget {
    Q_OBJECT
public:
    explicit MemoryBars(QWidget* parent = nullptr);

    void setPlan(const PlannedRun& plan);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {320, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void paintBar(QPainter& painter, const HostMemory& host, const QRectF& bar, double bytesPerPixel) const;
    void paintLegend(QPainter& painter, int top) const;

    PlannedRun m_plan;
};

} // namespace trainyard
