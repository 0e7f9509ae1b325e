#pragma once

#include <vector>

#include <QWidget>

#include "app/data/model/data_set_list_model.h"
#include "app/designer/model/spec_document.h"
#include "app/designer/phase_fields.h"

class QLabel;
class QToolButton;
class QVBoxLayout;

namespace trainyard {

class DataMixEditor;
class FieldEditor;
class FormRow;

/// The form of one phase: its own fields, and all that it can override. Names of inherited values are muted;
/// a field that is edited becomes the phase's own, and a button makes it inherit again.
class PhaseForm : public QWidget {
    Q_OBJECT
public:
    /// `phase`: from 0. Document and list must outlive the form; the phase may be removed meanwhile.
    PhaseForm(SpecDocument& document, const DataSetListModel& dataSets, int phase, QWidget* parent = nullptr);

    /// A line below the phase's own fields: its sequences, evaluation and such.
    void setFacts(const QString& text);
    /// Returns the control of the field at `path`, or of the first in its section; unfolds its section. Null
    /// if the path is not one of this phase.
    QWidget* controlFor(const QString& path);
    /// Whether the form has the field and so shows its problems.
    bool hasField(const QString& path) const;
    /// Shows problems again.
    void showProblems();
    /// Shows what is found beyond the document's diagnostics: problems of the phase's data sets.
    void showFound(const Diagnostics& found);

signals:
    void helpWanted(const QString& help);

private:
    struct Row {
        FormRow* row;
        FieldEditor* editor;
        QString inherited;    ///< as PhaseField has it
        QToolButton* inherit; ///< makes it the run's value again; null for the phase's own fields
        QToolButton* heading; ///< of its section; null outside of one
    };
    struct Heading {
        QToolButton* button;
        QString title;
    };
    void addSection(QVBoxLayout* column, const PhaseSection& section);
    void addRow(QVBoxLayout* column, const PhaseField& field, QToolButton* heading);
    void addDataSetButton(FormRow& row, const QString& path);
    void setDataSet(const QString& path, const QString& folder);
    void addMix(QVBoxLayout* column, QToolButton* heading);
    QToolButton* makeInherit(const QString& path, const QString& inherited);
    void inherit(const QString& path, const QString& inherited);
    bool overridesMix() const;
    void showInheritance();
    int overriddenIn(const QToolButton* heading) const;

    SpecDocument& m_document;
    const DataSetListModel& m_dataSets;
    int m_phase;
    QLabel* m_facts;
    DataMixEditor* m_mix;
    QToolButton* m_inheritMix = nullptr;
    QToolButton* m_mixHeading = nullptr; ///< of its section
    std::vector<Row> m_rows;
    std::vector<Heading> m_headings;
};

} // namespace trainyard
