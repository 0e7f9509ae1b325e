#pragma once

#include <QFrame>

#include "app/models/run_filter.h"

class QLabel;
class QLineEdit;
class QListView;

namespace trainyard {

class RunListModel;

/// The runs, newest first, with a search field above.
class RunListPane : public QFrame {
    Q_OBJECT

public:
    explicit RunListPane(RunListModel& model, QWidget* parent = nullptr);

    QString currentRun() const;
    void select(const QString& runId);
    void focusSearch();
    void focusList();

signals:
    /// Empty = none.
    void currentRunChanged(const QString& runId);

private:
    void showCount();

    RunListModel& m_model;
    RunFilter m_filter;
    QLineEdit* m_search;
    QLabel* m_count;
    QListView* m_list;
};

} // namespace trainyard
