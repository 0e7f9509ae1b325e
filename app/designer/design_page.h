#pragma once

#include <QPointer>
#include <QTimer>

#include "app/data/model/data_set_list_model.h"
#include "app/designer/model/known_data_sets.h"
#include "app/designer/model/spec_document.h"
#include "app/designer/model/starting_weights.h"
#include "app/designer/verdict_panel.h"
#include "app/hosts/model/host_list_model.h"
#include "app/plan/hardware_library.h"
#include "app/plan/planned_phases.h"
#include "app/workspace/page.h"
#include "remote/launch/run_service.h"

class QAction;

namespace trainyard {

class AlternativesPanel;
class ClusterPanel;
class LaunchBar;
class LayerPanel;
class MemoryBars;
class PageFrame;
class PlanPanels;
class ScaledCopiesBar;
class SettingsExchange;
class RunStore;
class SpecForm;
struct FoundLayout;

/// The page where a run is designed and launched: every edit immediately shows its requirements and
/// problems.
class DesignPage : public Page {
    Q_OBJECT
public:
    struct Parts {
        SpecDocument& document;
        HostListModel& hosts;
        DataSetListModel& dataSets;
        RunService& runs;
        const HardwareLibrary& hardware;
        RunStore& store;
    };
    explicit DesignPage(const Parts& parts, QWidget* parent = nullptr);

    PanelArea* panels() const override { return m_panels; }
    QList<KeyHint> keyHints() const override;
    void activate() override;
    void refresh() override;
    void useDataSet(const DataSetEntry& entry);
    /// Like a listed data set if the folder, one of this machine, has a readable manifest; else its path
    /// alone.
    void useDataSetFolder(const QString& folder);
    /// Opens a specification file; shows errors in the message bar.
    void openFile(const QString& file);
    void saveFile(const QString& file);
    void launch();

signals:
    /// The run is on its hosts.
    void runLaunched(const QString& run);

private:
    void addActions();
    QAction* addDocumentAction(const QString& text, const QKeySequence& keys, const QString& icon,
                               void (DesignPage::*slot)());
    void addPanels();
    void connectPlan();
    void open();
    void save();
    void saveAs();
    void undo();
    void redo();
    void applyAlternative(const FoundLayout& layout);
    void applyRecipe(const QString& name);
    void updateTitle();
    PlanInputs planInputs(const RunSpec& spec) const;
    PlannedDesign planPhase(int phase) const;
    VerdictPanel::Findings findings() const;
    void addFindings(const PlannedDesign& design, VerdictPanel::Findings& findings) const;
    std::vector<ExplainedProblem> explain(const PlannedDesign& design) const;
    const PlannedDesign& design() const { return m_phases[m_phase]; }
    void showPhases();
    void showWeights();
    /// Searches settings that solve the problems, after a pause in editing.
    void explainProblems();
    void apply(const Remedy& remedy);
    void showCluster();
    void showKept();
    void reportHostsWithoutRanks();
    void onLaunched(const Result<QString>& result);

    SpecDocument& m_document;
    HostListModel& m_hosts;
    KnownDataSets m_known;
    RunService& m_runs;
    const HardwareLibrary& m_hardware;
    QPointer<RunOperation> m_launch;
    QStringList m_notices; ///< of the current launch
    PageFrame* m_page;
    LaunchBar* m_launchBar;
    ScaledCopiesBar* m_copies;
    SpecForm* m_form;
    ClusterPanel* m_cluster;
    LayerPanel* m_layer;
    MemoryBars* m_memory;
    VerdictPanel* m_verdict;
    AlternativesPanel* m_alternatives;
    PanelArea* m_panels;
    PlanPanels* m_plan;
    SettingsExchange* m_exchange;
    StartingWeights m_weights;
    QTimer m_explainSoon;
    PlannedPhases m_phases = PlannedPhases(1); ///< as last planned
    std::size_t m_phase = 0;                   ///< that the panels show
};

} // namespace trainyard
