#pragma once

#include <vector>

#include <QWidget>

#include "app/designer/model/plan_figures.h"

class QGridLayout;
class QLabel;

namespace trainyard {

class ElidedLabel;

/// The figures of a design below each other, and how each changed against a kept one.
class PlanFigureTable : public QWidget {
    Q_OBJECT
public:
    explicit PlanFigureTable(QWidget* parent = nullptr);

    /// `kept`: figures of the kept design; empty where none is kept.
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
