#pragma once

#include <functional>

#include <QToolButton>

#include "engine/base/result.h"

namespace trainyard {

class ChartPanel;

/// The button in a chart's corner: save its image or its values, copy the image, pin the values.
class ChartMenu : public QToolButton {
    Q_OBJECT

public:
    /// A child of the chart.
    explicit ChartMenu(ChartPanel& chart);
    void addPin();

private:
    void askForFile(const QString& caption, const QString& filters, const QString& suffix,
                    const std::function<Status(const QString& file)>& save);

    ChartPanel& m_chart;
};

} // namespace trainyard
