#pragma once

#include <QObject>
#include <QString>
#include <QStringList>

#include "app/hosts/model/remote_job.h"

namespace trainyard {

/// Tries a model where it lies, by a job of its host, so that no weights are transferred. Leaves no files on
/// the host. GUI thread.
class ModelTrial : public QObject {
    Q_OBJECT
public:
    /// `arguments`: those of `trainyard-worker try`; a run of the host is named by its id.
    ModelTrial(RunService& runs, const QString& host, QStringList arguments, QObject* parent = nullptr);

    void start();
    /// finished() follows with Cancelled once the host is cleaned up.
    void cancel();

signals:
    /// Current activity; 0..1, negative = unknown.
    void progress(const QString& text, double fraction);
    /// The next part of what the command prints, as soon as it is there.
    void answered(const QString& text);
    /// Emitted exactly once.
    void finished(const trainyard::Status& status);

private:
    void onFinished(const Status& status);

    RunService& m_runs;
    RemoteJob m_job;
    QStringList m_arguments;
};

} // namespace trainyard
