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

#include "remote/deploy/bundle.h"
#include "remote/deploy/deploy_progress.h"
#include "remote/deploy/shared_homes.h"
#include "remote/target/target.h"

namespace trainyard {

class BundleUpload;

/// Puts a bundle on many hosts. Each is asked what it lacks and gets only that, a few hosts at the same time;
/// hosts that see one disk get it once. A link that breaks and returns goes on where it was; a host that
/// fails holds up no other; the bundle appears on each in one instant, whole and verified. One object per
/// deployment; GUI thread. Destroying it stops; what was sent is kept for the next time.
class Deployer : public QObject {
    Q_OBJECT

public:
    struct Options {
        int atOnce = 12; ///< hosts that are sent to at the same time: more only share the desk's link
        /// For a host that answered once and is gone, to come back.
        std::chrono::milliseconds patience = std::chrono::minutes(2);
    };
    Deployer(Bundle bundle, const QList<Target*>& targets, QObject* parent = nullptr)
        : Deployer(std::move(bundle), targets, Options(), parent)
    {
    }
    Deployer(Bundle bundle, const QList<Target*>& targets, Options options, QObject* parent = nullptr);
    ~Deployer() override;

    /// Opens the targets where needed.
    void start();
    /// finished() follows with Cancelled.
    void cancel();

    const Bundle& bundle() const { return m_bundle; }

signals:
    /// One host: bytes there so far, of all that it lacked; total 0 = it had everything.
    void progress(const QString& host, qint64 done, qint64 total);
    /// All hosts together.
    void advanced(const trainyard::DeployProgress& progress);
    /// What the user may like to know and what stops nothing.
    void noticed(const QString& text);
    /// Once, when every host is through. The error lists every host that failed, each with its reason.
    void finished(const trainyard::Status& result);

private:
    struct Host {
        std::unique_ptr<BundleUpload> upload;
        qint64 done = 0;
        qint64 total = 0;
        bool sending = false; ///< it has one of the places that Options::atOnce allows
    };
    void addHost(Target& target, int index);
    void onMet(int host, const QSet<QString>& seen);
    void onWantsToSend(int host);
    void onProgress(int host, qint64 done, qint64 total);
    void onHostFinished(int host, const Status& result);
    void sendNext();
    void tellProgress();

    Bundle m_bundle;
    Options m_options;
    SharedHomes m_homes;
    std::vector<Host> m_hosts;
    std::deque<int> m_waiting; ///< hosts that want to send
    int m_sending = 0;
    DeployProgress m_progress;
    TransferRate m_rate;
    QElapsedTimer m_clock;
    std::map<int, Error> m_failures;
};

} // namespace trainyard
