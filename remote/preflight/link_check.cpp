#include "remote/preflight/link_check.h"

#include <algorithm>

#include <QJsonArray>

#include "remote/preflight/host_rows.h"
#include "remote/wire/greeting.h"

namespace trainyard {

namespace {

using preflight::latencyText;
using preflight::rateText;
using preflight::row;

constexpr qint64 kPortLifeMs = 30'000;
constexpr qint64 kDialPatienceMs = 3000;
constexpr double kSlowRate = 12.5e6;   ///< bytes/s: 100 Mbit/s
constexpr double kSlowShare = 1.0 / 3; ///< of the usual rate between these hosts
constexpr double kSlowLatencyMs = 5;

constexpr int kSuggestedPort = 20'000;
constexpr int kSuggestedPorts = 64; ///< several runs with a rank on each of eight devices

QString textOf(const Error& error)
{
    return QString::fromStdString(error.message);
}

/// What a firewall makes of a connection.
bool looksClosed(const QString& error)
{
    return error.startsWith("refused") || error.startsWith("no answer") || error.startsWith("no route") ||
           error.startsWith("forbidden");
}

bool hasIpv6(const QJsonObject& probe)
{
    return probe.value("mpi").toObject().value("ipv6").toBool(true);
}

/// What to do about a pair that does not connect.
QString fixFor(const QString& error, const QString& from, const QString& to, const QString& network)
{
    const QString source = network.isEmpty() ? from : network;
    if (error.startsWith("refused") || error.startsWith("no answer"))
        return QString("allow connections to every TCP port of %1 from %2 (ufw allow from %2; firewall-cmd "
                       "--zone=trusted --add-source=%2), or to some of them and name those in launch.ports")
            .arg(to, source);
    if (error.startsWith("forbidden"))
        return QString("allow %1 to connect to every TCP port of %2: its own firewall blocks it")
            .arg(from, source);
    if (error.startsWith("something else"))
        return QString("two machines may have the address of %1, or there is a proxy in between: give each "
                       "its own address")
            .arg(to);
    return QString("check cables, routes and addresses between %1 and %2, or use another network")
        .arg(from, to);
}

QString interfacesText(const CommonNetwork& network)
{
    QStringList names = network.interfaces;
    names.removeDuplicates();
    return names.join(", ");
}

/// The hosts' own addresses as if they were a network without a name.
CommonNetwork routedNetwork(const QStringList& addresses)
{
    CommonNetwork network;
    network.addresses = addresses;
    network.ipv6 = addresses.value(0).contains(':');
    return network;
}

} // namespace

LinkCheck::LinkCheck(const QList<Host>& hosts, std::chrono::milliseconds streaming,
                     const NetworkChoice& choice, QObject* parent)
    : QObject(parent), m_choice(choice), m_streaming(streaming)
{
    std::vector<QJsonObject> probes;
    for (const Host& host : hosts) {
        m_hosts << host.target;
        m_names << host.target->host();
        probes.push_back(host.probe);
        m_mpiHasIpv6 << hasIpv6(host.probe);
    }
    findNetworks(probes);
}

void LinkCheck::findNetworks(const std::vector<QJsonObject>& probes)
{
    const QList<CommonNetwork> common = commonNetworks(probes);
    m_networks = m_choice.network.isEmpty() ? common : chosenNetworks(common, probes, m_choice.network);
    if (!m_networks.isEmpty())
        return;
    if (m_choice.network.isEmpty()) {
        m_networks << routedNetwork(ownAddresses(probes));
        return;
    }
    QStringList names;
    for (const CommonNetwork& network : common)
        names << QString("%1 (%2)").arg(network.network, interfacesText(network));
    m_refusal = row("network",
                    QString("launch.network: not all hosts have \"%1\"; they have in common: %2")
                        .arg(m_choice.network, names.isEmpty() ? QString("none") : names.join(", ")),
                    Verdict::Fail, "name one of these, or leave launch.network empty");
}

LinkCheck::~LinkCheck()
{
    closePorts();
}

void LinkCheck::start()
{
    QMetaObject::invokeMethod(
        this, [this] { m_networks.isEmpty() ? finish() : tryNextNetwork(); }, Qt::QueuedConnection);
}

void LinkCheck::tryNextNetwork()
{
    ++m_current;
    const QString& network = m_networks[m_current].network;
    emit progress(network.isEmpty() ? QString("testing the links between the hosts")
                                    : "testing the links between the hosts on " + network);
    m_token = QString::fromStdString(makeNonce());
    m_ports.assign(static_cast<std::size_t>(size()), Port());
    m_trials.assign(static_cast<std::size_t>(size()), std::vector<Trial>(static_cast<std::size_t>(size())));
    m_waitingFor = size();
    for (int host = 0; host < size(); ++host)
        listen(host);
}

void LinkCheck::listen(int host)
{
    const QString address = m_networks[m_current].addresses[host];
    if (!target(host) || address.isEmpty())
        return onPort(host, 0, "it has no unique address");
    Target::Handlers handlers;
    handlers.interim = [this, host](const QJsonObject& word) {
        onPort(host, word.value("port").toInt(), {});
    };
    handlers.done = [this, host](const Result<QJsonObject>& reply) {
        Port& port = m_ports[static_cast<std::size_t>(host)];
        port.call = 0;
        if (port.number == 0 && port.trouble.isEmpty())
            onPort(host, 0, reply.ok() ? QString("it could not open a port") : textOf(reply.error()));
    };
    QJsonObject request{{"op", "listen"}, {"address", address}, {"token", m_token}, {"life_ms", kPortLifeMs}};
    if (m_choice.firstPort > 0) {
        request.insert("first_port", m_choice.firstPort);
        request.insert("last_port", m_choice.lastPort);
    }
    m_ports[static_cast<std::size_t>(host)].call = target(host)->call(request, this, std::move(handlers));
}

void LinkCheck::onPort(int host, int number, const QString& trouble)
{
    Port& port = m_ports[static_cast<std::size_t>(host)];
    port.number = number;
    port.trouble = trouble;
    if (--m_waitingFor > 0)
        return;
    m_waitingFor = size();
    for (int from = 0; from < size(); ++from)
        dial(from);
}

void LinkCheck::dial(int host)
{
    QJsonArray peers;
    for (int to = 0; to < size(); ++to) {
        if (to != host && m_ports[static_cast<std::size_t>(to)].number > 0)
            peers << QJsonObject{{"address", m_networks[m_current].addresses[to]},
                                 {"port", m_ports[static_cast<std::size_t>(to)].number},
                                 {"token", m_token}};
    }
    const QJsonObject request{{"op", "dial"}, {"peers", peers}, {"timeout_ms", kDialPatienceMs}};
    const auto done = [this, host](const Result<QJsonObject>& reply) { onDialled(host, reply); };
    if (target(host))
        target(host)->call(request, this, done);
    else
        QMetaObject::invokeMethod(
            this, [done] { done(cancelled("the host was removed")); }, Qt::QueuedConnection);
}

void LinkCheck::onDialled(int host, const Result<QJsonObject>& reply)
{
    const QJsonArray trials = reply.ok() ? reply->value("trials").toArray() : QJsonArray();
    for (int to = 0, next = 0; to < size(); ++to) {
        Trial& trial = m_trials[static_cast<std::size_t>(host)][static_cast<std::size_t>(to)];
        const Port& port = m_ports[static_cast<std::size_t>(to)];
        if (to == host)
            continue;
        if (!reply.ok())
            trial.error = textOf(reply.error());
        else if (port.number == 0)
            trial.error = port.trouble;
        else {
            const QJsonObject answer = trials.at(next++).toObject();
            trial.latencyMs = answer.value("latency_ms").toDouble();
            trial.error = answer.value("error").toString(trial.latencyMs > 0 ? "" : "no answer");
        }
    }
    if (--m_waitingFor == 0)
        judgeNetwork();
}

void LinkCheck::closePorts()
{
    for (int host = 0; host < static_cast<int>(m_ports.size()); ++host) {
        Port& port = m_ports[static_cast<std::size_t>(host)];
        if (const auto call = std::exchange(port.call, 0); call != 0 && target(host))
            target(host)->cancel(call);
    }
}

void LinkCheck::judgeNetwork()
{
    int failures = 0;
    for (const auto& from : m_trials)
        failures += static_cast<int>(std::count_if(
            from.begin(), from.end(), [](const Trial& trial) { return !trial.error.isEmpty(); }));
    if (m_best < 0 || failures < m_fewestFailures) {
        m_best = m_current;
        m_bestTrials = m_trials;
        m_fewestFailures = failures;
    }
    if (failures == 0 && m_streaming.count() > 0)
        return measure();
    closePorts();
    if (failures > 0 && m_current + 1 < m_networks.size())
        return tryNextNetwork();
    finish();
}

void LinkCheck::measure()
{
    emit progress("measuring the links between the hosts");
    m_waitingFor = size();
    for (int from = 0; from < size(); ++from)
        stream(from);
}

void LinkCheck::stream(int from)
{
    const int to = (from + 1) % size();
    const auto done = [this, from](const Result<QJsonObject>& reply) { onStreamed(from, reply); };
    if (!target(from))
        return done(cancelled("the host was removed"));
    target(from)->call({{"op", "stream"},
                        {"address", m_networks[m_current].addresses[to]},
                        {"port", m_ports[static_cast<std::size_t>(to)].number},
                        {"token", m_token},
                        {"duration_ms", qint64{m_streaming.count()}}},
                       this, done);
}

void LinkCheck::onStreamed(int from, const Result<QJsonObject>& reply)
{
    Trial& trial =
        m_bestTrials[static_cast<std::size_t>(from)][static_cast<std::size_t>((from + 1) % size())];
    if (!reply.ok())
        trial.error = textOf(reply.error());
    else if (reply->contains("error"))
        trial.error = reply->value("error").toString();
    else
        trial.bytesPerSecond = reply->value("bytes_per_second").toDouble();
    if (--m_waitingFor > 0)
        return;
    closePorts();
    finish();
}

/// The median of what was measured; 0 when nothing was.
double LinkCheck::usualRate(const Trials& trials) const
{
    std::vector<double> rates;
    for (const auto& from : trials) {
        for (const Trial& trial : from) {
            if (trial.bytesPerSecond > 0)
                rates.push_back(trial.bytesPerSecond);
        }
    }
    if (rates.empty())
        return 0;
    const auto middle = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2);
    std::nth_element(rates.begin(), middle, rates.end());
    return *middle;
}

LinkRow LinkCheck::rowFor(int from, int to, const Trials& trials) const
{
    const Trial& trial = trials[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
    const CommonNetwork& network = m_networks[m_best];
    LinkRow link{m_names[from], m_names[to], LinkRow::Way::Tcp, {},
                 Verdict::Ok,   {},          trial.latencyMs,   trial.bytesPerSecond};
    if (!trial.error.isEmpty()) {
        link.found = network.addresses[to].isEmpty()
                         ? trial.error
                         : QString("%1 (%2)").arg(trial.error, network.addresses[to]);
        link.verdict = Verdict::Fail;
        if (!m_allClosed) // one firewall, and one fix: that of the network
            link.fix = fixFor(trial.error, link.from, link.to, network.network);
        return link;
    }
    link.found = latencyText(trial.latencyMs);
    if (trial.bytesPerSecond > 0)
        link.found += ", " + rateText(trial.bytesPerSecond);
    const bool slow = trial.bytesPerSecond > 0 && (trial.bytesPerSecond < kSlowRate ||
                                                   trial.bytesPerSecond < kSlowShare * usualRate(trials));
    if (slow || trial.latencyMs > kSlowLatencyMs) {
        link.verdict = Verdict::Warn;
        link.fix =
            "every step waits for the slowest link: check for a faster network, a bad cable or other traffic";
    }
    return link;
}

QString LinkCheck::choiceText() const
{
    return m_choice.network.isEmpty() ? QString() : ", as launch.network says";
}

bool LinkCheck::isAllClosed() const
{
    for (int from = 0; from < size(); ++from) {
        for (int to = 0; to < size(); ++to) {
            if (from != to &&
                !looksClosed(
                    m_bestTrials[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)].error))
                return false;
        }
    }
    return true;
}

/// Hosts that the client reaches over ssh, and that do not reach each other at all: a firewall.
CheckRow LinkCheck::closedRow(const QString& found) const
{
    const bool chosen = m_choice.firstPort > 0;
    const int first = chosen ? m_choice.firstPort : kSuggestedPort;
    const int last = chosen ? m_choice.lastPort : kSuggestedPort + kSuggestedPorts - 1;
    const QString open = QString("open the TCP ports %1-%2 between these hosts (ufw allow proto tcp from "
                                 "NETWORK to any port %1:%2; firewall-cmd --add-port=%1-%2/tcp)")
                             .arg(first)
                             .arg(last);
    const QString set = QString(" and set launch.ports to \"%1-%2\": each run needs one port more on a host "
                                "than it has ranks there")
                            .arg(first)
                            .arg(last);
    return row(
        "network",
        found + (chosen ? QString(": a firewall closes the ports %1-%2 of launch.ports").arg(first).arg(last)
                        : QString(": a firewall lets ssh through and nothing else")),
        Verdict::Fail, chosen ? open : open + set);
}

CheckRow LinkCheck::networkRow(bool complete) const
{
    if (m_networks.isEmpty())
        return m_refusal;
    const CommonNetwork& network = m_networks[m_best];
    const QString names = interfacesText(network);
    QString found = network.network.isEmpty() ? QString("no network is common to all hosts%1")
                                                    .arg(names.isEmpty() ? QString() : "; interface " + names)
                                              : QString("%1 (%2)").arg(network.network, names);
    if (network.speed > 0)
        found += QString(", %1 Gbit/s").arg(double(network.speed) / 1000);
    found += choiceText();
    if (m_allClosed)
        return closedRow(found);
    if (network.ipv6 && m_mpiHasIpv6.contains(false))
        return row("network",
                   QString("%1: OpenMPI on %2 was built without IPv6")
                       .arg(found, m_names[m_mpiHasIpv6.indexOf(false)]),
                   Verdict::Fail,
                   "give the hosts IPv4 addresses in a common private network, or install an OpenMPI built "
                   "with --enable-ipv6");
    if (network.ipv6 && !names.isEmpty() && network.forMpi().isEmpty())
        return row(
            "network", found + ": OpenMPI takes an IPv6 network only by an interface of one name",
            Verdict::Fail,
            "give its interfaces one name on all hosts that no other network has (ip link set OLD name "
            "NEW), or use IPv4");
    if (network.network.isEmpty() && names.isEmpty())
        return row("network", "no network is common to all hosts; they reach each other by routing",
                   complete ? Verdict::Warn : Verdict::Fail,
                   "give every host an address in a common network, or name an interface that all have in "
                   "launch.network: MPI now tries all interfaces, including those of containers");
    if (!complete)
        return row("network", found + ": not every host can reach every other", Verdict::Fail,
                   "see the links below: the ranks need all of them");
    if (network.smallestMtu != network.largestMtu)
        return row("network",
                   QString("%1, MTU %2 to %3").arg(found).arg(network.smallestMtu).arg(network.largestMtu),
                   Verdict::Warn,
                   "set the same MTU on all its interfaces: large messages stall where it is smaller");
    return row("network", found);
}

void LinkCheck::finish()
{
    LinkFindings findings;
    m_allClosed = m_best >= 0 && isAllClosed();
    findings.network = networkRow(m_fewestFailures == 0);
    if (m_best >= 0) {
        findings.interface = m_networks[m_best].forMpi();
        findings.ipv6 = m_networks[m_best].ipv6;
        findings.interfaceNames = m_networks[m_best].plainNames;
    }
    for (int from = 0; from < size(); ++from) {
        QList<LinkRow> links;
        for (int to = 0; to < size() && m_best >= 0; ++to) {
            if (to != from)
                links << rowFor(from, to, m_bestTrials);
        }
        findings.links << links;
    }
    emit finished(findings);
}

} // namespace trainyard
