#pragma once

#include <filesystem>
#include <memory>

#include <QObject>
#include <QString>

#include "engine/base/result.h"
#include "engine/spec/run_spec.h"
#include "remote/launch/run_service.h"
#include "remote/stream/run_follower.h"

namespace trainyard {

/// Location and length of the demo.
struct DemoOptions {
    std::filesystem::path folder; ///< gets `dataset`; kept, so that the next demo is quicker
    int ranks = 2;
    int steps = 200;
};

/// The complete demo on this machine: sample dump -> data set -> training on two ranks. The window and the
/// command line run the same flow. One object per demo; GUI thread.
class DemoFlow : public QObject {
    Q_OBJECT

public:
    DemoFlow(DemoOptions options, RunService& runs, QObject* parent = nullptr);
    ~DemoFlow() override;

    void start();
    /// Cancels; finished() follows with Cancelled. A complete data set is kept.
    void cancel();

    std::filesystem::path datasetFolder() const { return m_options.folder / "dataset"; }

signals:
    /// The current activity, as a sentence.
    void progress(const QString& text);
    /// A run of the demo can be followed: first the data job, unless the data set exists already.
    void runStarted(const QString& runId, trainyard::RunKind kind);
    /// The id of the training, or why it failed.
    void finished(const trainyard::Result<QString>& result);

private:
    void prepareData();
    void train();
    void launched(const Result<QString>& run, RunKind kind);
    void follow(const QString& runId, RunKind kind);
    void ended(const QString& runId, RunKind kind);
    void fail(const Error& error);

    DemoOptions m_options;
    RunService& m_runs;
    QPointer<RunOperation> m_operation;
    std::unique_ptr<RunFollower> m_follower;
    StateRecord m_lastState;
    QString m_currentRun;
    bool m_cancelled = false;
};

/// The training that the demo launches on a data set of that vocabulary.
RunSpec demoSpec(const DemoOptions& options, const std::filesystem::path& dataset, int vocabularySize);

} // namespace trainyard
