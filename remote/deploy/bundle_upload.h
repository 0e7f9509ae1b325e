#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <QSet>
#include <QStringList>
#include <QTimer>

#include "remote/deploy/blob_upload.h"
#include "remote/deploy/parcel.h"
#include "remote/target/target.h"

namespace trainyard {

/// One host's part of a deployment: have? → files found elsewhere on the host → the missing ones, from this
/// computer (several at once) or from another host → assemble. It pauses where the deployment decides:
/// marksSeen() waits for proceed(), wantsFiles() for a sender. Asks have? again after every reconnection.
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
    /// Opens the link where needed.
    void start();
    void proceed();
    /// The answers to wantsFiles().
    void receiveFromHere();
    void receiveFrom(const Feed& feed);
    /// The host that sends has all files now: if it sends nothing for `patience`, feedFailed() comes.
    void onFeedDone();
    /// Gives up the host that sends; feedFailed() comes.
    void leaveFeed(const Error& why);
    /// finished() follows.
    void fail(const Error& error) { finish(error); }
    void cancel();

signals:
    /// The other hosts' marks that this one has on its disk.
    void marksSeen(const QSet<QString>& seen);
    /// It lacks files and has no sender.
    void wantsFiles();
    /// The host that was to send cannot. wantsFiles() comes again if files are still missing.
    void feedFailed(const trainyard::Error& error);
    void progress(qint64 done, qint64 total);
    /// A message for the user.
    void noticed(const QString& text);
    /// Once, never during a call of this object's functions.
    void finished(const trainyard::Status& result);

private:
    enum class Stage { Meeting, Waiting, Asking, Queued, Receiving, Sending, Assembling };
    struct Missing {
        const BundleEntry* file;
        std::uint64_t have; ///< verified bytes of an earlier attempt
        std::uint64_t left() const { return file->size - have; }
    };
    using Answer = void (BundleUpload::*)(const QJsonObject&);
    void onState();
    void onAttemptFailed(const Error& error);
    void ask(const QJsonObject& request, Answer answer);
    void dropCall();
    void meet();
    void onMarks(const QJsonObject& reply);
    void askWhatIsMissing();
    void onMissing(const QJsonObject& reply);
    Status checkRoom(const QJsonObject& disk) const;
    void askWhatIsElsewhere();
    void onAdopted(const QJsonObject& reply);
    void receiveMissing();
    void push();
    void onPushed(const Result<QJsonObject>& reply);
    void pushAgain();
    void awaitFeed();
    void endPush();
    std::string feedName() const;
    void fillWindow();
    void openNext();
    void onAcknowledged(qint64 bytes);
    void onPut(BlobUpload* upload, const Status& result);
    void dropUploads();
    void assemble();
    void onAssembled(const QJsonObject& reply);
    qint64 missingBytes() const;
    void handle(const Error& error);
    void finish(const Status& result);

    const Parcel& m_parcel;
    QPointer<Target> m_target;
    Target::CallId m_call = 0;     ///< the only request to the host, but for uploads; 0 = none
    bool m_isFromHere = false;     ///< this computer sends
    std::optional<Feed> m_feed;    ///< else this host does
    Target::CallId m_pushCall = 0; ///< the request to it; 0 = none
    bool m_feedIsDone = false;     ///< it has all files
    int m_pushesInVain = 0;        ///< in a row, without a byte more on the receiver
    qint64 m_leftAtPush = 0;       ///< bytes that the host lacked at the last push
    QElapsedTimer m_feedLost;      ///< since this computer's link to it broke; invalid while it is up
    QTimer m_pushPause;            ///< before the next push
    QTimer m_silence;              ///< of a feed that is done, during a push
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
