#pragma once

#include <vector>

#include <QWidget>

#include "app/designer/model/plan_figures.h"

class QGridLayout;
class QLabel;

namespace trainyard {

class ElidedLabel;

/// The metrics of a design as a list, each with its change from the kept design.
class PlanFigureTable : public QWidget {
    Q_OBJECT
public:
    explicit PlanFigureTable(QWidget* parent = nullptr);

    /// `kept`: metrics of the kept design; empty = no comparison.
    void setFigures(const std::vector<PlanFigure>& figures, const std::vector<PlanFigure>& kept);

private:
    struct Row {
        ElidedLabel* name;
        QLabel* value;
        QLabel* change;
    };
    void addRow();
    static void show(const Row& row, const PlanFigure& figure, const PlanFigure* kept);

    QGridLayout* m_grid;
    std::vector<Row> m_rows;
};

} // namespace trainyard
