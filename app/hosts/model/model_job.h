#pragma once

#include <string>
#include <vector>

#include <QObject>
#include <QString>
#include <QStringList>

#include "app/hosts/model/remote_job.h"

namespace trainyard {

/// A command of trainyard-worker on a model where it is, by a job of its host, so that no weights are
/// transferred. Leaves no files on the host. GUI thread.
class ModelJob : public QObject {
    Q_OBJECT
public:
    /// `command`: "eval" or "try", with its arguments. They name the model by its folder on the host, or by
    /// the id of a run there.
    ModelJob(RunService& runs, const QString& host, const QString& command,
             const std::vector<std::string>& arguments, QObject* parent = nullptr);

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
    void showProgress();
    void onFinished(const Status& status);

    RunService& m_runs;
    RemoteJob m_job;
    QString m_command;
    QStringList m_arguments;
    bool m_isOver = false; ///< finished() was emitted
};

} // namespace trainyard
