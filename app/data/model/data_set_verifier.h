#pragma once

#include <QObject>
#include <QPointer>
#include <QProcess>
#include <QString>

#include "app/data/model/host_verification.h"
#include "app/data/model/sample_rows.h"

namespace trainyard {

/// Checks a data set with `trainyard-prepare verify` on the host on which it lies, and decodes some of its
/// rows. One at a time; a newer request ends the older one, whose answer is dropped. GUI thread.
class DataSetVerifier : public QObject {
    Q_OBJECT
public:
    explicit DataSetVerifier(RunService& runs, QObject* parent = nullptr);
    ~DataSetVerifier() override;

    void verify(const QString& host, const QString& folder, int samples);
    /// Ends what is under way; nothing is emitted for it.
    void cancel();

signals:
    /// Of a check on another host: what is done; 0..1, negative = unknown.
    void progress(const QString& text, double fraction);
    void finished(const QString& host, const QString& folder,
                  const trainyard::Result<trainyard::VerifyReport>& result);

private:
    void verifyHere(const QString& folder, const QStringList& arguments);
    void verifyThere(const QString& host, const QString& folder, const QStringList& arguments);
    void onProcessFinished(const QString& folder);

    RunService& m_runs;
    QPointer<QProcess> m_process;
    QPointer<HostVerification> m_job; ///< a child of the service, so that it can end its job in peace
};

} // namespace trainyard
