#pragma once

#include <QWidget>

#include "app/base/text_table_model.h"
#include "app/data/model/data_set_list_model.h"
#include "app/designer/model/spec_document.h"
#include "app/plan/planned_phases.h"

class QLabel;
class QPushButton;
class QToolButton;
class QVBoxLayout;

namespace trainyard {

class ElidedLabel;
class PhaseForm;
class TableView;

/// Edits the phases of the run: the list with memory, time and cost of each, buttons that add, copy, move and
/// remove them, and the form of the chosen one.
class PhasesEditor : public QWidget {
    Q_OBJECT
public:
    /// Document and list must outlive the editor.
    PhasesEditor(SpecDocument& document, const DataSetListModel& dataSets, QWidget* parent = nullptr);

    /// The phase that is edited and planned, from 0; 0 also for a run without phases.
    int chosen() const { return m_chosen; }
    void choose(int phase);
    /// Shows the plans of all phases of the document.
    void showPlans(const PlannedPhases& phases);
    /// Shows what is found beyond the document's diagnostics: problems of the phases' data sets.
    void showFound(const Diagnostics& found);
    /// The line about the chosen phase.
    void setFacts(const QString& text);
    /// Chooses the phase of a path such as "phases[1].batch.global", and returns the control to focus.
    QWidget* controlFor(const QString& path);

signals:
    /// The user chose another phase, or it changed its number.
    void phaseChosen(int phase);
    /// The user asks for a published training, by the name of its recipe.
    void recipeWanted(const QString& name);
    void helpWanted(const QString& help);

private:
    QWidget* makeButtons();
    QToolButton* makeTool(const QString& text, const QString& name, const QString& tip);
    QPushButton* makeRecipes();
    void edit(const QString& what, int chosenAfter, const std::function<void(RunSpec&)>& change);
    void add();
    void duplicate();
    void remove();
    void move(int direction);
    void follow();
    void onRowChosen(int row);
    void showForm();
    void showButtons();
    void showProblems();
    void fitHeight();
    int count() const;

    SpecDocument& m_document;
    const DataSetListModel& m_dataSets;
    Diagnostics m_found;
    int m_chosen = 0;
    int m_formOf = -1; ///< the phase that m_form edits; -1 = none
    TextTableModel m_model;
    QLabel* m_about; ///< of a run without phases
    TableView* m_list;
    QLabel* m_totals;
    QLabel* m_error;
    QPushButton* m_add;
    QToolButton* m_duplicate;
    QToolButton* m_remove;
    QToolButton* m_up;
    QToolButton* m_down;
    QPushButton* m_recipes;
    ElidedLabel* m_title; ///< of the form
    QVBoxLayout* m_place; ///< of the form
    PhaseForm* m_form = nullptr;
};

} // namespace trainyard
