#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <QElapsedTimer>
#include <QList>
#include <QObject>
#include <QString>
#include <QTimer>

#include "remote/deploy/deploy_progress.h"
#include "remote/deploy/parcel.h"
#include "remote/deploy/shared_homes.h"
#include "remote/target/target.h"

namespace trainyard {

class BundleUpload;

/// Brings a parcel, the engine or a data set, to many hosts. Each host receives only what it lacks, a few
/// hosts at a time; hosts that share a disk receive it once. A broken connection resumes where it was; a
/// failing host delays no other; what is made of it appears on each host atomically, whole and verified. One
/// object per deployment; GUI thread. Destroying it stops the deployment; uploaded parts are kept for the
/// next one.
///
/// A host with feeds gets the files from the first of them that can send: not from one that has failed, nor
/// from one that itself waits for another host of its disk, which may be the one that it would send to. This
/// computer, if it has the files, is the last. Each sends to a few hosts at a time, the others wait.
class Deployer : public QObject {
    Q_OBJECT

public:
    struct Options {
        int atOnce = 12; ///< hosts that this computer sends to at a time: more only share its link
        /// For a host that answered once and is gone, to come back.
        std::chrono::milliseconds patience = std::chrono::minutes(2);
        double bytesPerSecond = 0; ///< for the plan: DeployPlan::bytesPerSecond
        /// How long the first hosts wait for the others to say what they lack, so that the plan counts them.
        std::chrono::milliseconds planPatience = std::chrono::seconds(2);
    };
    Deployer(Bundle bundle, const QList<Target*>& targets, QObject* parent = nullptr)
        : Deployer(parcelOf(bundle), targets, Options(), parent)
    {
    }
    Deployer(Bundle bundle, const QList<Target*>& targets, Options options, QObject* parent = nullptr)
        : Deployer(parcelOf(bundle), targets, options, parent)
    {
    }
    Deployer(Parcel parcel, const QList<Target*>& targets, Options options, QObject* parent = nullptr);
    ~Deployer() override;

    /// For each host, in order of preference; before start(). Only earlier hosts may feed a host, or such
    /// that have all files.
    void setFeeds(const std::vector<std::vector<Feed>>& feeds);
    /// Opens the targets where needed.
    void start();
    /// finished() follows, with Cancelled unless every host was done.
    void cancel();

signals:
    /// At most once, before anything is sent; not when no host lacks anything. A host that answers late or
    /// follows another one on a shared disk is not counted.
    void planned(const trainyard::DeployPlan& plan);
    /// One host: bytes stored so far, and bytes that it lacked; total 0 = it lacked none.
    void progress(const QString& host, qint64 done, qint64 total);
    /// All hosts together.
    void advanced(const trainyard::DeployProgress& progress);
    /// A message for the user that does not stop the deployment.
    void noticed(const QString& text);
    /// Once, later than the call that caused it, when every host is done. The error lists every host that
    /// failed with its reason.
    void finished(const trainyard::Status& result);

private:
    /// What a host does: Unknown until it has seen who shares its disk.
    enum class Part { Unknown, Receives, WaitsForItsDisk, Done, Failed };
    struct Host {
        Target* target = nullptr;
        std::unique_ptr<BundleUpload> upload;
        std::deque<Feed> feeds;         ///< not given up yet
        std::optional<Error> feedError; ///< of the last one that was given up
        Part part = Part::Unknown;
        std::optional<Target*> sender; ///< to it now; null = this computer
        qint64 done = 0;
        qint64 total = 0;
        bool asked = false; ///< it has said what it lacks, waits for another one, or failed
    };
    void addHost(Target& target, int index);
    Host& at(int index) { return m_hosts[static_cast<std::size_t>(index)]; }
    void onMarksSeen(int host, const QSet<QString>& seen);
    void letReceive(int host);
    void onWantsFiles(int host);
    void onFeedFailed(int host, const Error& error);
    void onProgress(int host, qint64 done, qint64 total);
    void onHostFinished(int host, const Status& result);
    void tellThoseItFeeds(const Host& host);
    void onAsked(int host);
    void plan();
    void sendNext();
    bool begin(Host& host);
    bool beginHere(Host& host);
    Error noFeedLeft(const Host& host) const;
    bool hasPlace(Target* sender, int places) const;
    Part partOf(const Feed& feed) const;
    void dropUselessFeeds(Host& host) const;
    void tellProgress();
    Status outcome() const;

    Parcel m_parcel;
    Options m_options;
    SharedHomes m_homes;
    std::vector<Host> m_hosts;
    std::deque<int> m_waiting; ///< hosts that lack files and have no sender
    bool m_isCancelled = false;
    bool m_isPlanned = false;
    QTimer m_planPatience;
    DeployProgress m_progress;
    TransferRate m_rate;
    QElapsedTimer m_clock;
    std::map<int, Error> m_failures;
};

} // namespace trainyard
