#pragma once

#include <QFrame>

#include "app/runs/run_list_model.h"

class QLabel;
class QListView;
class QPoint;

namespace trainyard {

class RunListModel;
class RunSearchField;

/// The runs, newest first, with a search field above. The open run stays open while a search hides it.
class RunListPane : public QFrame {
    Q_OBJECT

public:
    explicit RunListPane(RunListModel& model, QWidget* parent = nullptr);

    QString currentRun() const { return m_run; }
    void select(const QString& runId);
    void focusSearch();
    void focusList();

signals:
    /// Empty = none.
    void currentRunChanged(const QString& runId);
    /// Asks for the menu of a run at this screen position.
    void menuWanted(const QString& runId, const QPoint& place);
    void importWanted(const QPoint& place);

private:
    QWidget* buildFoot();
    void askForMenu(const QPoint& place);
    void showCount();
    void onCurrentRow();
    void onSearched();

    RunListModel& m_model;
    RunFilter m_filter;
    RunSearchField* m_search;
    QLabel* m_count;
    QListView* m_list;
    QString m_run;              ///< that is open; empty = none
    bool m_isSearching = false; ///< rows come and go, and the current one with them
};

} // namespace trainyard
