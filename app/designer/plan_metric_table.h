#pragma once

#include <vector>

#include <QWidget>

#include "app/designer/model/plan_metrics.h"

class QGridLayout;
class QLabel;

namespace trainyard {

class ElidedLabel;

/// The metrics of a design as a list, each with its change from the design saved for comparison.
class PlanMetricTable : public QWidget {
    Q_OBJECT
public:
    explicit PlanMetricTable(QWidget* parent = nullptr);

    /// `kept`: metrics of the design saved for comparison; empty = no comparison.
    void setMetrics(const std::vector<PlanMetric>& metrics, const std::vector<PlanMetric>& kept);

private:
    struct Row {
        ElidedLabel* name;
        QLabel* value;
        QLabel* change;
    };
    void addRow();
    static void show(const Row& row, const PlanMetric& metric, const PlanMetric* kept);

    QGridLayout* m_grid;
    std::vector<Row> m_rows;
};

} // namespace trainyard
