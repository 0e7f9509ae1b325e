#pragma once

#include <optional>

#include <QByteArray>
#include <QObject>
#include <QString>
#include <QStringList>

#include "app/hosts/model/host_job.h"

namespace trainyard {

/// What `trainyard-prepare verify` said on a host.
struct VerifyAnswer {
    QByteArray report;          ///< as it prints it; empty when checking itself was not possible
    std::optional<Error> error; ///< the data set is damaged, or why it could not be checked
};

/// Checks a data set on the host on which it lies, as a job there, so that the rows stay where they are. The
/// job leaves nothing on the host but its answer to this desk. GUI thread.
class HostVerification : public QObject {
    Q_OBJECT
public:
    /// `arguments` as for `trainyard-prepare verify`.
    HostVerification(RunService& runs, const QString& host, QStringList arguments, QObject* parent = nullptr);

    void start();
    /// finished() follows with Cancelled when nothing of the job is left.
    void cancel();
    /// Ends the check and this object; nothing is emitted any more.
    void abandon();

signals:
    /// What is done; 0..1, negative = unknown.
    void progress(const QString& text, double fraction);
    /// Exactly once. An error when the host could not be asked.
    void finished(const trainyard::Result<trainyard::VerifyAnswer>& result);

private:
    void onProgressed();
    void onFinished(const Status& status);
    void answer(const Result<VerifyAnswer>& result);

    RunService& m_runs;
    HostJob m_job;
    QStringList m_arguments;
};

} // namespace trainyard
