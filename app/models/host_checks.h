#pragma once

#include <map>

#include <QObject>
#include <QString>

#include "app/models/cluster_check.h"
#include "app/models/host_list_model.h"
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
    /// Several hosts together, with the links between them.
    ClusterCheck& cluster() { return m_cluster; }
    /// Asks a host that can be reached which engine it has; also done at the end of each check.
    void askForEngine(const QString& host);
    /// Ends the check and the link of a host that the user removed.
    void forget(const QString& host);

signals:
    /// A host that was never seen shows a key; the check waits for answerHostKey().
    void hostKeyUnknown(const QString& host, const trainyard::HostKeyQuestion& question);
    /// The link was refused (changed key, refused key, another version): a person must act.
    void linkRefused(const QString& host, const trainyard::Error& reason);
    void finished(const QString& host);

private:
    void watch(Target& target);
    void onFinished(const QString& host, const HostReport& report);
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
