#pragma once

#include <QPointer>

#include "app/base/pool_work.h"
#include "app/base/text_table_model.h"
#include "app/charts/chart_history.h"
#include "app/charts/chart_options.h"
#include "app/history/compared_curves.h"
#include "app/history/model/metric_table_model.h"
#include "app/runs/open_run.h"
#include "app/workspace/page.h"

class QComboBox;
class QLabel;
class QSortFilterProxyModel;
class QStackedWidget;
class QTabWidget;

namespace trainyard {

class ChartLegend;
class ChartToolbar;
class CurveChart;
class GroupBar;
class PageFrame;
class RunStore;
class RunPicker;
class TableView;

/// The page "Compare": the history on the left; on the right the curves of the chosen runs, single or
/// grouped, and below them final metrics, differences of specifications, and scaling.
class ComparePage : public Page {
    Q_OBJECT

public:
    /// The store must outlive the page.
    explicit ComparePage(RunStore& store, QWidget* parent = nullptr);

    QList<KeyHint> keyHints() const override;
    void activate() override;
    void refresh() override;
    void setChosen(const QStringList& runIds);
    void addChosen(const QString& runId);

signals:
    void designRequested();

private:
    QWidget* buildSplit();
    QWidget* buildCharts();
    QWidget* buildTables();
    QWidget* buildMetricTable();
    QWidget* buildTable(TextTableModel& model, const QString& name, QStackedWidget** pages,
                        const QString& emptyText);
    QList<RunGroup> groups() const;
    void onChosen();
    void onRunChanged(const QString& runId);
    void showMetrics();
    void showCurves();
    void showCompared(const ComparedCurves& compared);
    void showLegend();
    ChartView view() const;
    void apply(const ChartView& view);
    void showTables();
    void showPage();
    QList<const OpenRun*> runs() const;

    RunStore& m_store;
    ChartLink m_link;
    ChartOptions m_options;
    ChartHistory m_history;
    QList<QPointer<OpenRun>> m_runs;
    LatestJob<ComparedCurves> m_aggregation;
    QList<ComparedMetric> m_metrics;
    MetricTableModel m_metricTable;
    QSortFilterProxyModel* m_sortedMetrics;
    TextTableModel m_differences;
    TextTableModel m_scaling;
    PageFrame* m_frame;
    QStackedWidget* m_pages;
    QStackedWidget* m_right;
    QStackedWidget* m_differencePages = nullptr;
    QStackedWidget* m_scalingPages = nullptr;
    RunPicker* m_picker;
    QComboBox* m_metric;
    GroupBar* m_groupBar;
    QLabel* m_remark;
    ChartToolbar* m_toolbar;
    ChartLegend* m_legend;
    CurveChart* m_chart;
    CurveChart* m_scalingChart;
    QTabWidget* m_tabs;
    QTimer m_due;
    bool m_visited = false;
};

} // namespace trainyard
