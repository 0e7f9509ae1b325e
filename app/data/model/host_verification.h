#pragma once

#include <optional>

#include <QByteArray>
#include <QObject>
#include <QString>
#include <QStringList>

#include "app/hosts/model/remote_job.h"

namespace trainyard {

/// The output of `trainyard-prepare verify` on a host.
struct VerifyAnswer {
    QByteArray report;          ///< as printed; empty if verification itself was impossible
    std::optional<Error> error; ///< the data set is damaged, or why it could not be verified
};

/// Verifies a data set by a job on its host, so that rows are not transferred. Leaves no files on the host.
/// GUI thread.
class HostVerification : public QObject {
    Q_OBJECT
public:
    /// `arguments`: those of `trainyard-prepare verify`.
    HostVerification(RunService& runs, const QString& host, QStringList arguments, QObject* parent = nullptr);

    void start();
    /// finished() follows with Cancelled once the host is cleaned up.
    void cancel();
    /// Stops the verification and deletes this object; emits nothing more.
    void abandon();

signals:
    /// Current activity; 0..1, negative = unknown.
    void progress(const QString& text, double fraction);
    /// Emitted exactly once. An error if the host could not be asked.
    void finished(const trainyard::Result<trainyard::VerifyAnswer>& result);

private:
    void onProgressed();
    void onFinished(const Status& status);
    void answer(const Result<VerifyAnswer>& result);

    RunService& m_runs;
    RemoteJob m_job;
    QStringList m_arguments;
};

} // namespace trainyard
