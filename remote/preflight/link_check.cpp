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

QString textOf(const Error& error)
{
    return QString::fromStdString(error.message);
}

/// What to do about a pair that does not connect.
QString fixFor(const QString& error, const QString& from, const QString& to, const QString& network)
{
    const QString source = network.isEmpty() ? from : network;
    if (error.startsWith("refused") || error.startsWith("no answer"))
        return QString("allow connections to every TCP port of %1 from %2 (ufw allow from %2; firewall-cmd "
                       "--zone=trusted --add-source=%2)")
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

/// The hosts' own addresses as if they were a network without a name.
CommonNetwork routedNetwork(const QStringList& addresses)
{
    CommonNetwork network;
    network.addresses = addresses;
    return network;
}

} // namespace

LinkCheck::LinkCheck(const QList<Host>& hosts, std::chrono::milliseconds streaming, QObject* parent)
    : QObject(parent), m_streaming(streaming)
{
    std::vector<QJsonObject> probes;
    for (const Host& host : hosts) {
        m_hosts << host.target;
        m_names << host.target->host();
        probes.push_back(host.probe);
    }
    m_networks = commonNetworks(probes);
    if (m_networks.isEmpty())
        m_networks << routedNetwork(ownAddresses(probes));
}

LinkCheck::~LinkCheck()
{
    closePorts();
}

void LinkCheck::start()
{
    QMetaObject::invokeMethod(this, &LinkCheck::tryNextNetwork, Qt::QueuedConnection);
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
    m_ports[static_cast<std::size_t>(host)].call = target(host)->call(
        {{"op", "listen"}, {"address", address}, {"token", m_token}, {"life_ms", kPortLifeMs}}, this,
        std::move(handlers));
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

CheckRow LinkCheck::networkRow(bool complete) const
{
    const CommonNetwork& network = m_networks[m_best];
    if (network.network.isEmpty())
        return row("network", "no network is common to all hosts; they reach each other by routing",
                   complete ? Verdict::Warn : Verdict::Fail,
                   "give every host an address in a common network: MPI now tries all interfaces, including "
                   "those of containers");
    QStringList names = network.interfaces;
    names.removeDuplicates();
    QString found = QString("%1 (%2)").arg(network.network, names.join(", "));
    if (network.speed > 0)
        found += QString(", %1 Gbit/s").arg(double(network.speed) / 1000);
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
    findings.network = networkRow(m_fewestFailures == 0);
    findings.interface = m_networks[m_best].network;
    findings.interfaceNames = m_networks[m_best].plainNames;
    for (int from = 0; from < size(); ++from) {
        QList<LinkRow> links;
        for (int to = 0; to < size(); ++to) {
            if (to != from)
                links << rowFor(from, to, m_bestTrials);
        }
        findings.links << links;
    }
    emit finished(findings);
}

} // namespace trainyard
