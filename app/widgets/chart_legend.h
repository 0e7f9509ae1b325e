#pragma once

#include <QList>
#include <QWidget>

#include "app/models/theme.h"

namespace trainyard {

struct LegendEntry {
    QString text;
    QColor light;
    QColor dark;
    Qt::PenStyle line = Qt::NoPen; ///< NoPen = a filled square, else a stroke of that style
};

/// What the colours of a chart stand for; entries flow into as many lines as the width asks for.
class ChartLegend : public QWidget {
    Q_OBJECT

public:
    explicit ChartLegend(QWidget* parent = nullptr);
    void setEntries(const QList<LegendEntry>& entries);

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {120, 18}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QList<QRect> places(int width) const;

    QList<LegendEntry> m_entries;
};

/// Weights, gradients, ... in their colours.
QList<LegendEntry> memoryLegend();
/// Causes of step time, in their colours.
QList<LegendEntry> causeLegend();

} // namespace trainyard
