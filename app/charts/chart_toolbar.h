#pragma once

#include <functional>

#include <QWidget>

#include "app/charts/chart_options.h"

class QComboBox;
class QLabel;
class QSlider;
class QToolButton;

namespace trainyard {

/// Options of a page of charts: axis, logarithms (L, X), outliers (O), smoothing (S toggles it). The keys
/// work while the focus is within `keyScope`.
class ChartToolbar : public QWidget {
    Q_OBJECT

public:
    explicit ChartToolbar(QWidget* keyScope, QWidget* parent = nullptr);

    const ChartOptions& options() const { return m_options; }
    void setOptions(const ChartOptions& options);
    /// Enables the reset button only while the charts are zoomed.
    void setZoomed(bool zoomed);

signals:
    void optionsChanged(const trainyard::ChartOptions& options);
    void resetZoomWanted();

private:
    void buildAxis();
    void buildSmoothing();
    QToolButton* toggle(const QString& text, const QString& tip, Qt::Key key, QWidget* keyScope);
    void toggleSmoothing();
    void showOptions();
    void change(const std::function<void(ChartOptions&)>& edit);

    ChartOptions m_options;
    double m_lastWeight = 0.6; ///< what S turns on again
    QComboBox* m_axis;
    QToolButton* m_logarithmic;
    QToolButton* m_logarithmicX;
    QToolButton* m_outliers;
    QComboBox* m_kind;
    QSlider* m_weight;
    QLabel* m_weightText;
    QToolButton* m_reset;
};

} // namespace trainyard
