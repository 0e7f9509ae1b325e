#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include <QObject>
#include <QStringList>

#include "remote/preflight/engine_needs.h"
#include "remote/preflight/host_report.h"
#include "remote/preflight/link_check.h"
#include "remote/target/target_pool.h"

namespace trainyard {

class HostCheck;

/// What a preflight is to look at.
struct PreflightOptions {
    bool links = true; ///< from two hosts on: whether and how fast they reach each other
    bool mpi = true;   ///< ranks will be started by mpirun: from the first host, over ssh
    std::chrono::milliseconds streaming{1000};  ///< for each link that is measured
    std::chrono::milliseconds patience{60'000}; ///< for each host
    EngineNeeds engine = needsOfDesk();
    NetworkChoice network = {};
};

/// What came of it.
struct PreflightReport {
    QList<HostReport> hosts;         ///< in the order in which they were named
    QString interface = {};          ///< the network for the ranks, "10.1.0.0/16"; empty = MPI chooses
    bool ipv6 = false;               ///< that network is one of IPv6
    QStringList interfaceNames = {}; ///< the same for NCCL: "eth0"; empty = NCCL chooses

    Verdict worst() const;
    /// Ok when a run may start. Otherwise lists every problem of hosts and pairs, with the fixes: Unreachable
    /// when a host did not respond, else Refused.
    Status judge() const;
};

/// Checks all hosts of a run in parallel: each host first, then the hosts compared, then the links between
/// them. The first host is the head. GUI thread; never blocks. Destroying it ends the check and closes the
/// links that it opened.
class Preflight : public QObject {
    Q_OBJECT

public:
    /// A host that is named twice is checked once.
    Preflight(const QStringList& hosts, TargetPool& targets, PreflightOptions options = {},
              QObject* parent = nullptr);
    ~Preflight() override;
    void start();

signals:
    /// `done` of `total` hosts are checked; then `text` describes the test of the links.
    void progress(const QString& text, int done, int total);
    /// The report of one host; the rows that compare hosts follow in finished().
    void hostChecked(const trainyard::HostReport& report);
    /// Once.
    void finished(const trainyard::PreflightReport& report);

private:
    void onHost(int index, const HostReport& report);
    void onAllHosts();
    void askHeadForLogins();
    void onLogins(const Result<QJsonObject>& reply);
    void onLinks(const LinkFindings& findings);
    void finishStep();
    QList<int> reached() const;

    TargetPool& m_targets;
    PreflightOptions m_options;
    PreflightReport m_report;
    std::vector<std::unique_ptr<HostCheck>> m_checks;
    std::unique_ptr<LinkCheck> m_links;
    int m_done = 0;
    int m_stepsLeft = 0; ///< of the links and the logins
};

} // namespace trainyard

Q_DECLARE_METATYPE(trainyard::PreflightReport)
