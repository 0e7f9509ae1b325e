#pragma once

#include <QFrame>

#include "app/base/text_table_model.h"

namespace trainyard {

class OpenRun;
class TableView;

/// The held-out evaluations of a run as a table, the newest first. Hidden while there is none.
class EvaluationPanel : public QFrame {
    Q_OBJECT

public:
    explicit EvaluationPanel(QWidget* parent = nullptr);

    void show(const OpenRun& run);

private:
    void fitHeight();

    TextTableModel m_model;
    TableView* m_view;
    QString m_runId;      ///< of the run that is shown
    qsizetype m_rows = 0; ///< of its evaluations, when they were shown last
    int m_rewrites = 0;   ///< the same
};

} // namespace trainyard
