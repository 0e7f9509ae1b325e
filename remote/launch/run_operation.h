#pragma once

#include <utility>

#include <QObject>
#include <QString>

#include "engine/base/result.h"
#include "remote/launch/data_offer.h"

namespace trainyard {

/// A user's action on one or several hosts by RunService, such as a launch or a stop. Reports its progress,
/// finishes exactly once, and then deletes itself.
class RunOperation : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    QString runId() const { return m_runId; }
    /// finished() follows with Cancelled when the changes on the hosts have been rolled back; no effect when
    /// it is too late.
    virtual void cancel() = 0;
    /// Answers dataOffered(): the data sets are sent. cancel() is the other answer.
    virtual void acceptOffer() {}
    /// Finishes with an error, later; for an operation that cannot start.
    void refuse(const Error& error)
    {
        QMetaObject::invokeMethod(
            this, [this, error] { finish(error); }, Qt::QueuedConnection);
    }

signals:
    /// One sentence for the page where the user acted, and the progress: 0..1, negative = unknown.
    void progress(const QString& text, double fraction);
    /// What is going to be sent and how long that takes, before it begins.
    void planned(const QString& text);
    /// A message for the user that does not stop the operation.
    void noticed(const QString& text);
    /// Hosts lack data sets that can be sent, and the operation waits for acceptOffer(); only where it was
    /// started with SendData::Ask.
    void dataOffered(const trainyard::DataOffer& offer);
    /// The run's id, or the error.
    void finished(const trainyard::Result<QString>& result);

protected:
    /// Only the first call has an effect.
    virtual void finish(const Result<QString>& result)
    {
        if (std::exchange(m_isFinished, true))
            return;
        deleteLater();
        emit finished(result);
    }

    QString m_runId;

private:
    bool m_isFinished = false;
};

} // namespace trainyard
