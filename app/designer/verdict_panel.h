#pragma once

#include <optional>

#include <QFrame>
#include <QPointer>

#include "app/designer/model/spec_document.h"
#include "app/designer/problem_list.h"
#include "app/plan/planned_run.h"

class QLabel;
class QPushButton;
class QStackedWidget;

namespace trainyard {

class ElidedLabel;
class PlanMetricTable;

/// Answers whether the run can be launched: a verdict, the problems and remarks with their fixes, the
/// metrics of the specification with their basis, and Launch, which explains why it is disabled.
class VerdictPanel : public QFrame {
    Q_OBJECT
public:
    explicit VerdictPanel(QWidget* parent = nullptr);

    /// Problems and no-effect settings of a specification.
    struct Findings {
        Diagnostics problems;
        Diagnostics remarks;
    };
    void showVerdict(const PlannedDesign& design, const Findings& findings);
    /// Says which phase the metrics are of, and what all phases take together; both empty without phases.
    void setPhases(const QString& shown, const QString& all);
    /// Offers buttons for fixes to those of the shown problems that are in the list.
    void showRemedies(const std::vector<ExplainedProblem>& explained);
    /// Metrics to compare with; nullopt = no comparison.
    void setKept(const std::optional<PlannedDesign>& kept);
    /// Efficiency per rank relative to the fewest ranks; NaN = unknown. Computed after the verdict.
    void setEfficiency(double efficiency);
    /// Disables Launch while a launch is in progress.
    void setLaunching(bool launching);

signals:
    void problemChosen(const QString& path);
    void remedyChosen(const Remedy& remedy);
    void launchRequested();
    void keepRequested();

private:
    QWidget* makeAssumptions();
    void chooseHardware();
    void showSentence(const Findings& findings);
    void showProblems(const Diagnostics& problems);
    void showMetrics();
    void showObstacle(const Findings& findings);
    void explain(bool on);
    void updateLaunch();

    PlannedDesign m_design;
    std::optional<PlannedDesign> m_kept;
    QLabel* m_verdict;
    QLabel* m_sentence;
    ProblemList* m_problems;
    std::vector<ExplainedProblem> m_explained; ///< as shown in the list
    QLabel* m_assumptions;
    QStackedWidget* m_pages; ///< findings, or the basis of the metrics
    ElidedLabel* m_phase;    ///< that the metrics are of
    PlanMetricTable* m_metrics;
    QLabel* m_all;      ///< phases together
    QLabel* m_obstacle; ///< why there are no time metrics
    QPushButton* m_chooseHardware;
    QPushButton* m_explain;
    QPushButton* m_launch;
    QLabel* m_reason;
    std::size_t m_problemCount = 0;
    bool m_launching = false;
    QPointer<QWidget> m_focusMeanwhile; ///< where Qt moved the focus of Launch while it is disabled
};

} // namespace trainyard
