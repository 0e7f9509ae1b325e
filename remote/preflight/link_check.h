#pragma once

#include <chrono>
#include <vector>

#include <QList>
#include <QObject>
#include <QPointer>

#include "remote/preflight/host_report.h"
#include "remote/preflight/networks.h"
#include "remote/target/target.h"

namespace trainyard {

/// The links between some hosts.
struct LinkFindings {
    CheckRow network;            ///< which one the ranks will use, and what is wrong with it
    QString interface;           ///< for MPI: "10.1.0.0/16", "eth0"; empty = MPI chooses
    bool ipv6 = false;           ///< the network is one of IPv6
    QStringList interfaceNames;  ///< for NCCL: CommonNetwork::plainNames
    QList<QList<LinkRow>> links; ///< from each host, in their order, to every other one
};

/// What a run asks of the network between its hosts.
struct NetworkChoice {
    QString network = {}; ///< launch.network: "10.1.0.0/16" or "eth1"; empty = the fastest one that works
    int firstPort = 0;    ///< launch.ports; 0 = any port
    int lastPort = 0;
};

/// Tests the TCP links between reachable hosts: each opens a port for the others for the few seconds of the
/// test, and connects to theirs. Tries their common networks one after the other until one connects every
/// pair; if none does, reports the one with the fewest bad pairs. Then each host streams to its right
/// neighbour, all at once, as gradients travel in a ring. One object per check; GUI thread. Destroying it
/// ends the check and closes the ports.
class LinkCheck : public QObject {
    Q_OBJECT

public:
    struct Host {
        Target* target;
        QJsonObject probe; ///< its agent's answer
    };
    /// `streaming`: duration; 0 = do not measure the bandwidth.
    LinkCheck(const QList<Host>& hosts, std::chrono::milliseconds streaming, const NetworkChoice& choice = {},
              QObject* parent = nullptr);
    ~LinkCheck() override;
    void start();

signals:
    void progress(const QString& text);
    /// Once.
    void finished(const trainyard::LinkFindings& findings);

private:
    struct Port {
        Target::CallId call = 0;
        int number = 0;
        QString trouble; ///< why there is none
    };
    struct Trial {
        QString error; ///< empty = it works
        double latencyMs = 0;
        double bytesPerSecond = 0;
    };
    using Trials = std::vector<std::vector<Trial>>; ///< [from][to]

    int size() const { return static_cast<int>(m_hosts.size()); }
    Target* target(int host) const { return m_hosts[host].data(); }
    void findNetworks(const std::vector<QJsonObject>& probes);
    void tryNextNetwork();
    void listen(int host);
    void onPort(int host, int number, const QString& trouble);
    void dial(int host);
    void onDialled(int host, const Result<QJsonObject>& reply);
    void closePorts();
    void judgeNetwork();
    void measure();
    void stream(int from);
    void onStreamed(int from, const Result<QJsonObject>& reply);
    void finish();
    LinkRow rowFor(int from, int to, const Trials& trials) const;
    double usualRate(const Trials& trials) const;
    CheckRow networkRow(bool complete) const;
    CheckRow closedRow(const QString& found) const;
    bool isAllClosed() const;
    QString choiceText() const;

    QList<QPointer<Target>> m_hosts;
    QStringList m_names;
    QList<CommonNetwork> m_networks; ///< to be tried; the last one may be made of the hosts' own addresses
    NetworkChoice m_choice;
    CheckRow m_refusal;       ///< of a choice that names no network of the hosts
    QList<bool> m_mpiHasIpv6; ///< of each host's OpenMPI; true = unknown
    std::chrono::milliseconds m_streaming;
    int m_current = -1;   ///< index of the network that is tried
    int m_waitingFor = 0; ///< answers of this step
    QString m_token;
    std::vector<Port> m_ports;
    Trials m_trials;
    Trials m_bestTrials;
    int m_best = -1;
    int m_fewestFailures = 0;
    bool m_allClosed = false; ///< no host reaches another one in any way but ssh
};

} // namespace trainyard
