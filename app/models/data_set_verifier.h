#pragma once

#include <QObject>
#include <QPointer>
#include <QProcess>
#include <QString>

#include "app/models/sample_rows.h"

namespace trainyard {

/// Checks a data set of this machine with `trainyard-prepare verify` and decodes some of its rows. One at a
/// time; a newer request ends the older one, whose answer is dropped. GUI thread.
class DataSetVerifier : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    ~DataSetVerifier() override;

    void verify(const QString& folder, int samples);
    /// Ends what is under way; nothing is emitted for it.
    void cancel();

signals:
    void finished(const QString& folder, const trainyard::Result<trainyard::VerifyReport>& result);

private:
    void onFinished(const QString& folder);

    QPointer<QProcess> m_process;
};

} // namespace trainyard
