#pragma once

#include <QObject>

#include "app/designer/model/spec_document.h"
#include "app/runs/run_store.h"
#include "remote/launch/run_service.h"

class QMenu;
class QToolButton;

namespace trainyard {

/// Chooses what a run begins with: the button beside init.path offers folders of this machine and of the
/// design's hosts, and the runs of the list; the one beside init.step the checkpoints of that run.
class WeightsChooser : public QObject {
    Q_OBJECT
public:
    /// `parent` owns the chooser, not the buttons; all arguments must outlive it.
    WeightsChooser(SpecDocument& document, RunStore& store, RunService& runs, QWidget* parent);

    QToolButton* pathButton() const { return m_path; }
    QToolButton* stepButton() const { return m_step; }

private:
    QToolButton* makeButton(const QString& name, const QString& tip, void (WeightsChooser::*fill)(QMenu&));
    void fillPaths(QMenu& menu);
    void addFolders(QMenu& menu);
    void addRuns(QMenu& menu);
    void browse(const QString& host);
    void fillSteps(QMenu& menu);
    void addSteps(QMenu& menu, const Result<QList<RunCheckpoint>>& listed);
    void setPath(const QString& path);
    void setStep(int step);

    SpecDocument& m_document;
    RunStore& m_store;
    RunService& m_runs;
    QToolButton* m_path;
    QToolButton* m_step;
    quint64 m_asked = 0; ///< answers to earlier questions are dropped
};

} // namespace trainyard
