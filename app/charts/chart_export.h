#pragma once

#include <functional>

#include <QImage>
#include <QString>
#include <QToolButton>

#include "engine/base/result.h"

class QCustomPlot;

namespace trainyard {

class ChartPanel;

/// The plot as displayed, with its title above it, at twice the screen resolution.
QImage chartImage(QCustomPlot& plot, const QString& title);

/// As saveImage().
Status saveChartImage(QCustomPlot& plot, const QString& title, const QString& file);

/// The button in a chart's corner: save its image or its values, copy the image, pin the values.
class ChartMenu : public QToolButton {
    Q_OBJECT

public:
    /// A child of the chart.
    explicit ChartMenu(ChartPanel& chart);
    void addPin();

private:
    void saveAs(const QString& caption, const QString& filters, const QString& suffix,
                const std::function<Status(const QString& file)>& save);

    ChartPanel& m_chart;
};

} // namespace trainyard
