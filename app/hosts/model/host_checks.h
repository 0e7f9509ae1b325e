#pragma once

#include <map>

#include <QJsonArray>
#include <QObject>
#include <QString>

#include "app/hosts/model/cluster_check.h"
#include "app/hosts/model/host_list_model.h"
#include "remote/deploy/bundle.h"
#include "remote/target/target_pool.h"

namespace trainyard {

class HostCheck;

/// Runs preflight checks of hosts and stores the reports in the list. Any number in parallel, one per host.
/// GUI thread; never blocks.
class HostChecks : public QObject {
    Q_OBJECT
public:
    HostChecks(HostListModel& hosts, TargetPool& targets, QObject* parent = nullptr);

    /// Starts a check; no effect while this host is being checked.
    void check(const QString& host);
    /// Stops the check, restores the previous state and drops a late result.
    void cancel(const QString& host);
    bool isChecking(const QString& host) const { return m_running.contains(host); }
    /// Answers hostKeyUnknown.
    void answerHostKey(const QString& host, bool trust);
    /// Answers hostKeyChanged: removes the old keys in another thread, then checks the host again, which
    /// asks about the new key.
    void removeOldKeys(const QString& host, const HostKeyChange& change);
    /// The check of several hosts together, including the links between them.
    ClusterCheck& cluster() { return m_cluster; }
    /// Asks a connected host which engine it has; also done at the end of each check.
    void askForEngine(const QString& host);
    /// Stops the check and closes the connection of a host that the user removed.
    void forget(const QString& host);

signals:
    void started(const QString& host);
    /// An unknown host presents a key; the check waits for answerHostKey().
    void hostKeyUnknown(const QString& host, const trainyard::HostKeyQuestion& question);
    /// The connection was refused (rejected key, another version, old keys that cannot be removed); the user
    /// has to act.
    void linkRefused(const QString& host, const trainyard::Error& reason);
    /// The same, because the host or a jump host presents a different key than the one on record.
    void hostKeyChanged(const QString& host, const trainyard::HostKeyChange& change,
                        const trainyard::Error& reason);
    void finished(const QString& host);

private:
    void watch(Target& target);
    void onFinished(const QString& host, const HostReport& report);
    void onOldKeysRemoved(const QString& host, const Status& removed);
    void onTargetState(const QString& host, Target::State state);

    struct Running {
        HostCheck* check;
        HostState before;
    };
    HostListModel& m_hosts;
    TargetPool& m_targets;
    std::map<QString, Running> m_running;
    ClusterCheck m_cluster;
};

/// Loads the engine bundle that is uploaded to hosts. BadInput or Refused when there is none.
Result<Bundle> deskEngine();

/// Returns the engine column's text for a host with these bundles (the reply to `bundles`): the version if
/// it has the current engine.
QString engineText(const QJsonArray& bundles, const Result<Bundle>& engine);

} // namespace trainyard
