#pragma once

#include <QWidget>

#include "app/monitor/model/scaling_study.h"

class QLabel;
class QStackedWidget;

namespace trainyard {

class ChartLegend;
class ChoiceBox;
class EfficiencyChart;
class ElidedLabel;
class OpenRun;
class RunDatabase;
class TableView;

/// Shows how the model of a run scales, from all runs of the history that train it.
class ScalingTab : public QWidget {
    Q_OBJECT

public:
    /// Both must outlive the tab.
    ScalingTab(RunDatabase& history, const HardwareLibrary& hardware, QWidget* parent = nullptr);
    void show(const OpenRun& run);

private:
    QWidget* buildPage();
    void study();
    void listBaselines();
    void fill();

    RunDatabase& m_history;
    const HardwareLibrary& m_hardware;
    const OpenRun* m_run = nullptr;
    QString m_shownRun; ///< run of the shown study
    ScalingStudy m_study;
    QStackedWidget* m_pages;
    ChoiceBox* m_baseline;
    ElidedLabel* m_readOut;
    EfficiencyChart* m_chart;
    ChartLegend* m_legend;
    QLabel* m_strongTitle;
    QLabel* m_weakTitle;
    QLabel* m_peak;
    TextTableModel m_strong;
    TextTableModel m_weak;
    TableView* m_strongTable;
    TableView* m_weakTable;
};

} // namespace trainyard
