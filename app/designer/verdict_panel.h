#pragma once

#include <QFrame>

#include "app/models/planned_run.h"
#include "app/models/spec_document.h"

class QGridLayout;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace trainyard {

/// The answer to "can this run?": one sentence, every problem and remark as a link to its field, the figures
/// that follow from the specification, and Launch, which says why when it cannot be pressed.
class VerdictPanel : public QFrame {
    Q_OBJECT
public:
    explicit VerdictPanel(QWidget* parent = nullptr);

    /// What is known against a specification, and what it says in vain.
    struct Findings {
        Diagnostics problems;
        Diagnostics remarks;
    };
    void showVerdict(const RunSpec& spec, const Findings& findings, const PlannedRun& plan,
                     const SequenceShape& shape);
    /// While a launch is under way there is no other one.
    void setLaunching(bool launching);

signals:
    void problemChosen(const QString& path);
    void launchRequested();

private:
    void showSentence(const Findings& findings, const PlannedRun& plan);
    void showDiagnostics(const Diagnostics& diagnostics);
    void addFigure(QGridLayout* grid, const QString& name);
    void updateLaunch();

    QLabel* m_verdict;
    QLabel* m_sentence;
    QVBoxLayout* m_problems;
    std::vector<QLabel*> m_figures;
    QPushButton* m_launch;
    QLabel* m_reason;
    std::size_t m_problemCount = 0;
    bool m_launching = false;
};

} // namespace trainyard
