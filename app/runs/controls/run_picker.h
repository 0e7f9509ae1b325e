#pragma once

#include <QFrame>

#include "app/runs/run_list_model.h"

class QLabel;
class QListView;

namespace trainyard {

class RunListModel;
class RunSearchField;

/// Chooses several runs, with a search field: click or Space toggles one.
class RunPicker : public QFrame {
    Q_OBJECT

public:
    explicit RunPicker(RunListModel& model, QWidget* parent = nullptr);

    QStringList chosen() const { return m_model.chosen(); }
    void setChosen(const QStringList& runIds) { m_model.setChosen(runIds); }
    void focusSearch();

signals:
    void chosenChanged();

private:
    void toggle(const QModelIndex& index);
    void showCount();

    RunPickModel m_model;
    RunSearchField* m_search;
    QLabel* m_count;
    QListView* m_list;
};

} // namespace trainyard
