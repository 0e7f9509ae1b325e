#pragma once

#include <map>

#include <QObject>
#include <QString>

#include "app/hosts/model/cluster_check.h"
#include "app/hosts/model/host_list_model.h"
#include "remote/target/target_pool.h"

namespace trainyard {

class HostCheck;

/// Runs the preflight of hosts and writes what comes out into the list. Any number at once, one per host.
/// GUI thread; nothing blocks.
class HostChecks : public QObject {
    Q_OBJECT
public:
    HostChecks(HostListModel& hosts, TargetPool& targets, QObject* parent = nullptr);

    /// Starts a check; no effect while one of this host is under way.
    void check(const QString& host);
    /// Ends it: the state before is shown again, a late answer is dropped.
    void cancel(const QString& host);
    bool isChecking(const QString& host) const { return m_running.contains(host); }
    /// The answer to hostKeyUnknown.
    void answerHostKey(const QString& host, bool trust);
    /// The answer to hostKeyChanged: the old keys are no longer known, and the host is checked again, which
    /// asks about the new one.
    void removeOldKeys(const QString& host, const HostKeyChange& change);
    /// Several hosts together, with the links between them.
    ClusterCheck& cluster() { return m_cluster; }
    /// Asks a host that can be reached which engine it has; also done at the end of each check.
    void askForEngine(const QString& host);
    /// Ends the check and the link of a host that the user removed.
    void forget(const QString& host);

signals:
    void started(const QString& host);
    /// A host that was never seen shows a key; the check waits for answerHostKey().
    void hostKeyUnknown(const QString& host, const trainyard::HostKeyQuestion& question);
    /// The link was refused (refused key, another version, old keys that cannot be removed): a person must
    /// act.
    void linkRefused(const QString& host, const trainyard::Error& reason);
    /// The same because the host, or one on the way there, shows another key than it is known by.
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

} // namespace trainyard
