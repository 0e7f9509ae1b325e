#pragma once

#include <QObject>
#include <QString>

#include "app/hosts/model/remote_job.h"
#include "engine/generation/options/try_options.h"

namespace trainyard {

/// Tries a model where it lies, by a job of its host, so that no weights are transferred. Leaves no files on
/// the host. GUI thread.
class ModelTrial : public QObject {
    Q_OBJECT
public:
    /// `options.model`: a folder of the host, or the id of one of its runs.
    ModelTrial(RunService& runs, const QString& host, TryOptions options, QObject* parent = nullptr);

    void start();
    /// finished() follows with Cancelled once the host is cleaned up.
    void cancel();

signals:
    /// Current activity; 0..1, negative = unknown.
    void progress(const QString& text, double fraction);
    /// The next part of what the command prints, as soon as it is there.
    void answered(const QString& text);
    /// Something about the answer that is no part of it, e.g. that the newest checkpoint is damaged.
    void noticed(const QString& text);
    /// Emitted exactly once.
    void finished(const trainyard::Status& status);

private:
    void onFinished(const Status& status);

    RunService& m_runs;
    RemoteJob m_job;
    TryOptions m_options;
    bool m_isOver = false; ///< finished() was emitted
};

} // namespace trainyard
