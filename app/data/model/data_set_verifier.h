#pragma once

#include <QObject>
#include <QPointer>
#include <QProcess>
#include <QString>

#include "app/data/model/host_verification.h"
#include "app/data/model/sample_rows.h"

namespace trainyard {

/// Verifies a data set with `trainyard-prepare verify` on its host and decodes some of its rows. One at a
/// time; a newer request cancels the older one and drops its result. GUI thread.
class DataSetVerifier : public QObject {
    Q_OBJECT
public:
    explicit DataSetVerifier(RunService& runs, QObject* parent = nullptr);
    ~DataSetVerifier() override;

    void verify(const QString& host, const QString& folder, int samples);
    /// Cancels the current request without emitting anything.
    void cancel();

signals:
    /// Progress of a verification on another host; 0..1, negative = unknown.
    void progress(const QString& text, double fraction);
    void finished(const QString& host, const QString& folder,
                  const trainyard::Result<trainyard::VerifyReport>& result);

private:
    void verifyLocally(const QString& folder, const QStringList& arguments);
    void verifyOnHost(const QString& host, const QString& folder, const QStringList& arguments);
    void onProcessFinished(const QString& folder);

    RunService& m_runs;
    QPointer<QProcess> m_process;
    QPointer<HostVerification>
        m_job; ///< a child of the run service, so that it can end its job after this object
};

} // namespace trainyard
