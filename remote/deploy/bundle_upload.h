#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <vector>

#include <QObject>
#include <QPointer>
#include <QSet>
#include <QStringList>
#include <QTimer>

#include "remote/deploy/blob_upload.h"
#include "remote/deploy/parcel.h"
#include "remote/target/target.h"

namespace trainyard {

/// One host's part of a deployment: have? → files found elsewhere on the host, or received from another host
/// → put the missing ones, several at once → assemble. It pauses where the deployment decides: met() waits
/// for proceed(), wantsToSend() for send(). Asks have? again after every reconnection.
class BundleUpload : public QObject {
    Q_OBJECT

public:
    struct Meeting {
        QString mark;       ///< to leave on the host's disk; empty = the host is alone
        QStringList others; ///< marks of the other hosts, to look for
    };
    /// `parcel` must outlive it. Fails when a host that answered once stays away for `patience`.
    BundleUpload(const Parcel& parcel, Target& target, Meeting meeting, std::chrono::milliseconds patience);
    ~BundleUpload() override;

    QString host() const { return m_host; }
    /// Lets the agent of another host send the files: `request` is its `push`, without them. Before start().
    void receiveFrom(Target& source, const QJsonObject& request);
    /// The other host will not have the files: this computer sends what is missing.
    void receiveFromHere(const QString& why);
    /// Opens the link where needed.
    void start();
    void proceed();
    void send();
    void cancel();

signals:
    /// The other hosts' marks that this one has on its disk.
    void met(const QSet<QString>& seen);
    /// It has files to send; without such a request it continues by itself.
    void wantsToSend();
    void progress(qint64 done, qint64 total);
    /// A message for the user.
    void noticed(const QString& text);
    /// Once.
    void finished(const trainyard::Status& result);

private:
    enum class Stage { Meeting, Waiting, Asking, Queued, Sending };
    struct Missing {
        const BundleEntry* file;
        std::uint64_t have; ///< verified bytes of an earlier attempt
        std::uint64_t left() const { return file->size - have; }
    };
    void onState();
    void onAttemptFailed(const Error& error);
    void meet();
    void askWhatIsMissing();
    void onMissing(const QJsonObject& reply);
    Status checkRoom(const QJsonObject& disk) const;
    void askWhatIsElsewhere();
    void onAdopted(const QJsonObject& reply);
    void askOtherHost();
    void onPushed(const Result<QJsonObject>& reply);
    void awaitSource();
    void endPush();
    void onPlanned();
    void fillWindow();
    void openNext();
    void onAcknowledged(qint64 bytes);
    void onPut(BlobUpload* upload, const Status& result);
    void dropUploads();
    void assemble();
    qint64 missingBytes() const;
    void handle(const Error& error);
    void finish(const Status& result);

    const Parcel& m_parcel;
    QPointer<Target> m_target;
    QPointer<Target> m_source;     ///< a host that sends; null = this computer does
    QJsonObject m_push;            ///< the request to it
    Target::CallId m_pushCall = 0; ///< 0 = not asked
    int m_pushes = 0;              ///< requests made so far
    QString m_host;
    Meeting m_meeting;
    Stage m_stage = Stage::Meeting;
    std::deque<Missing> m_missing;                   ///< not begun yet
    std::vector<std::unique_ptr<BlobUpload>> m_open; ///< begun, in order
    qint64 m_total = -1; ///< bytes that the host lacked at first; -1 = not asked yet
    qint64 m_left = 0;   ///< bytes that the host has not acknowledged
    QTimer m_patience;
    int m_repeats = 0; ///< uploads that had to start again on a working link
    bool m_wasReady = false;
    bool m_done = false;
};

} // namespace trainyard
