#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
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
/// failing host delays no other; what is made of it appears on each host atomically, whole and verified. A
/// host with a feed gets the files from another one, and from this computer where that fails. One object per
/// deployment; GUI thread. Destroying it stops the deployment; uploaded parts are kept for the next one.
class Deployer : public QObject {
    Q_OBJECT

public:
    struct Options {
        int atOnce = 12; ///< hosts that are sent to at the same time: more only share the desk's link
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

    /// One for each host, before start(). No host may feed itself, directly or through others.
    void setFeeds(const std::vector<Feed>& feeds);
    /// Opens the targets where needed.
    void start();
    /// finished() follows with Cancelled.
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
    /// Once, when every host is done. The error lists every host that failed with its reason.
    void finished(const trainyard::Status& result);

private:
    struct Host {
        Target* target = nullptr;
        const Target* feed = nullptr; ///< the host that sends to it; null = this computer
        std::unique_ptr<BundleUpload> upload;
        qint64 done = 0;
        qint64 total = 0;
        bool sending = false; ///< it has one of the places that Options::atOnce allows
        bool asked = false;   ///< it has said what it lacks, waits for another one, or failed
    };
    void addHost(Target& target, int index);
    void onMet(int host, const QSet<QString>& seen);
    void onWantsToSend(int host);
    void onProgress(int host, qint64 done, qint64 total);
    void onHostFinished(int host, const Status& result);
    void onAsked(int host);
    void plan();
    void sendNext();
    void tellProgress();

    Parcel m_parcel;
    Options m_options;
    SharedHomes m_homes;
    std::vector<Host> m_hosts;
    std::deque<int> m_waiting; ///< hosts that want to send
    int m_sending = 0;
    bool m_isPlanned = false;
    QTimer m_planPatience;
    DeployProgress m_progress;
    TransferRate m_rate;
    QElapsedTimer m_clock;
    std::map<int, Error> m_failures;
};

} // namespace trainyard
