#pragma once

#include <optional>

#include <QFrame>
#include <QPointer>

#include "app/designer/model/spec_document.h"
#include "app/designer/problem_list.h"
#include "app/plan/planned_design.h"

class QLabel;
class QPushButton;
class QStackedWidget;

namespace trainyard {

class PlanFigureTable;

/// The answer to "can this run?": one sentence, every problem and remark with what solves it, the figures
/// that follow from the specification with what they rest on, and Launch, which says why when it cannot be
/// pressed.
class VerdictPanel : public QFrame {
    Q_OBJECT
public:
    explicit VerdictPanel(QWidget* parent = nullptr);

    /// What is known against a specification, and what it says in vain.
    struct Findings {
        Diagnostics problems;
        Diagnostics remarks;
    };
    void showVerdict(const PlannedDesign& design, const Findings& findings);
    /// Buttons for what solves those of the shown problems that are among these.
    void showRemedies(const std::vector<ExplainedProblem>& explained);
    /// What the figures are compared with; nothing = with no design.
    void setKept(const std::optional<PlannedDesign>& kept);
    /// Of one rank, against the fewest ranks; NaN = not known. It is worked out after the verdict.
    void setEfficiency(double efficiency);
    /// While a launch is under way there is no other one.
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
    void showFigures();
    void showObstacle(const Findings& findings);
    void explain(bool on);
    void updateLaunch();

    PlannedDesign m_design;
    std::optional<PlannedDesign> m_kept;
    QLabel* m_verdict;
    QLabel* m_sentence;
    ProblemList* m_problems;
    std::vector<ExplainedProblem> m_explained; ///< what the list shows
    QLabel* m_assumptions;
    QStackedWidget* m_pages; ///< findings, or what the figures rest on
    PlanFigureTable* m_figures;
    QLabel* m_obstacle; ///< why there are no figures of time
    QPushButton* m_chooseHardware;
    QPushButton* m_explain;
    QPushButton* m_launch;
    QLabel* m_reason;
    std::size_t m_problemCount = 0;
    bool m_launching = false;
    QPointer<QWidget> m_focusMeanwhile; ///< where Qt put the focus of Launch while that waits
};

} // namespace trainyard
