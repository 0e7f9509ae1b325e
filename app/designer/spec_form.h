#pragma once

#include <map>

#include <QFrame>

#include "app/designer/model/known_data_sets.h"
#include "app/designer/model/spec_document.h"
#include "app/designer/spec_field.h"
#include "app/hosts/model/host_list_model.h"
#include "app/plan/hardware_library.h"

class QLabel;
class QScrollArea;
class QToolButton;
class QVBoxLayout;

namespace trainyard {

class BatchRow;
class ClusterEditor;
class DataMixEditor;
class FieldEditor;
class FormRow;
class PhasesEditor;
class RunService;
class RunStore;
class WeightsChooser;
struct FoldSection;

/// The form of a specification: every field with its problem below it, updated while typing. The help at the
/// bottom describes the field with the focus or under the pointer, with links to papers.
class SpecForm : public QFrame {
    Q_OBJECT
public:
    struct Parts {
        SpecDocument& document;
        HostListModel& hosts;
        const KnownDataSets& dataSets;
        const HardwareLibrary& hardware;
        RunStore& store;  ///< whose runs another one can begin with
        RunService& runs; ///< lists folders of hosts
    };
    explicit SpecForm(const Parts& parts, QWidget* parent = nullptr);

    /// Scrolls to the field of that JSON path, or to the nearest one that contains it, unfolds its section
    /// and focuses it. Chooses the phase of a field of one.
    void focusField(const QString& path);
    PhasesEditor& phases() { return *m_phases; }
    /// Shows what the run takes from its starting weights, in lines; `isBad`: it cannot begin with them.
    void showWeights(const QString& text, bool isBad);
    /// Shows what is found beyond the document's diagnostics: problems of its data sets.
    void showFound(const Diagnostics& found);

signals:
    /// The user chose a data set of the list for the run.
    void dataSetChosen(int row);
    /// The user chose a folder of this machine as the run's data set.
    void dataSetFolderChosen(const QString& folder);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct BoundRow {
        FormRow* row;
        FieldEditor* editor;
        QToolButton* heading; ///< of its section
    };
    void addSection(QVBoxLayout* column, const SpecSection& section);
    void addPhases(QVBoxLayout* column);
    void addField(const FoldSection& fold, const SpecField& field);
    QWidget* makeDataSetButton();
    /// Returns the control of the field at `path` or of the nearest one that contains it; unfolds its
    /// section.
    QWidget* controlOf(const QString& path);
    void showSteps();
    QLabel* makeHelp();
    void showHelp(const QString& help);
    void onFocusChanged(QWidget* now);
    void showDiagnostics();
    void showEvaluation();
    void showMix();
    /// Returns the first problem of these fields or their members that has no row of its own.
    QString sentenceFor(const QStringList& prefixes) const;

    SpecDocument& m_document;
    const KnownDataSets& m_dataSets;
    std::map<QString, BoundRow> m_rows; ///< by JSON path
    BatchRow* m_batch;
    ClusterEditor* m_cluster;
    DataMixEditor* m_mix;
    PhasesEditor* m_phases;
    QToolButton* m_phasesHeading = nullptr;
    bool m_hadPhases; ///< before the newest change
    WeightsChooser* m_chooser;
    QLabel* m_weights;    ///< what is loaded from section init
    QLabel* m_evaluation; ///< the schedule that follows from the fields of evaluation
    QLabel* m_help;
    QString m_focusHelp; ///< help of the field that has or last had the focus
    QScrollArea* m_scroll;
};

} // namespace trainyard
