#pragma once

#include <optional>

#include <QList>
#include <QWidget>

#include "app/base/theme.h"
#include "app/charts/chart_marker.h"

namespace trainyard {

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
