#pragma once

#include <optional>

#include <QList>
#include <QPointF>
#include <QWidget>

#include "app/base/theme.h"

class QColor;
class QPainter;

namespace trainyard {

/// Shapes of single points, to tell series apart without colour.
enum class ChartMarker { Square, Diamond, Triangle, Circle };
constexpr int kChartMarkers = 4;

/// Filled; `radius` in pixels.
void paintMarker(QPainter& painter, ChartMarker marker, const QPointF& centre, double radius,
                 const QColor& colour);

struct LegendEntry {
    QString text;
    QColor light;
    QColor dark;
    Qt::PenStyle line = Qt::NoPen;       ///< NoPen = filled, else a stroke of that style
    std::optional<ChartMarker> marker{}; ///< of the points; nothing = a square for an area
};

/// The legend of a chart; entries wrap to the available width.
class ChartLegend : public QWidget {
    Q_OBJECT

public:
    explicit ChartLegend(QWidget* parent = nullptr);
    void setEntries(const QList<LegendEntry>& entries);

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QList<QRect> places(int width) const;

    QList<LegendEntry> m_entries;
};

/// Weights, gradients, ... in their colours.
QList<LegendEntry> memoryLegend();
/// Causes of step time, in their colours.
QList<LegendEntry> causeLegend();

} // namespace trainyard
