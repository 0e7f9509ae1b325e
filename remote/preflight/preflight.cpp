#include "remote/preflight/preflight.h"

#include <algorithm>
#include <functional>

#include <QJsonArray>

#include "remote/preflight/compare_hosts.h"
#include "remote/preflight/host_check.h"
#include "remote/preflight/link_check.h"
#include "remote/preflight/node_names.h"

namespace trainyard {

namespace {

constexpr qint64 kLoginPatienceMs = 8000;
constexpr int kMaxLinksToRead = 24; // the table of the preflight has them all
constexpr int kMaxFixes = 12;

/// What to do when ssh from the head to a node does not get in without a question.
QString loginFix(const QString& head, const QString& host, const QString& error)
{
    if (error.contains("Host key verification failed") || error.contains("host key", Qt::CaseInsensitive))
        return QString("on %1 run `ssh %2 true` once and compare the key, or add it to its known_hosts: "
                       "mpirun cannot ask")
            .arg(head, host);
    if (error.contains("Permission denied") || error.contains("Too many authentication failures"))
        return QString(
                   "on %1 run `ssh-copy-id %2`: mpirun logs in from there with a key without a passphrase")
            .arg(head, host);
    if (error.contains("Could not resolve"))
        return QString("%1 cannot resolve the name: add it to its /etc/hosts, or use the names by which the "
                       "hosts know each other")
            .arg(head);
    return QString("make `ssh %1 true` work on %2 without a prompt: mpirun starts the ranks that way")
        .arg(host, head);
}

/// `needsDaemon`: mpirun starts the host's own daemon there.
LinkRow loginRow(const QString& head, const QString& host, const QJsonObject& answer, bool needsDaemon)
{
    LinkRow link{head, host, LinkRow::Way::Ssh, "without a question", Verdict::Ok, {}, 0, 0};
    const QString error = answer.value("error").toString("no answer");
    if (!error.isEmpty()) {
        link.found = error;
        link.verdict = Verdict::Fail;
        link.fix = loginFix(head, host, error);
    } else if (needsDaemon && answer.value("orted").toString().isEmpty()) {
        link.found = "its shell does not find orted, OpenMPI's daemon";
        link.verdict = Verdict::Fail;
        link.fix = QString("install OpenMPI on %1, or set PATH in the shell start-up file above its early "
                           "return for sessions without a terminal")
                       .arg(host);
    }
    return link;
}

/// "gpu-03, gpu-04: libraries: libmpi.so.40 is missing": what several hosts have alike is said once.
QStringList hostComplaints(const QList<HostReport>& hosts, QStringList& fixes)
{
    QList<QPair<QString, QStringList>> complaints;
    for (const HostReport& host : hosts) {
        for (const CheckRow& row : host.rows) {
            if (row.verdict != Verdict::Fail)
                continue;
            const QString what = row.check + ": " + row.found;
            auto same = std::find_if(complaints.begin(), complaints.end(),
                                     [&](const auto& complaint) { return complaint.first == what; });
            if (same == complaints.end())
                same = complaints.insert(complaints.end(), {what, {}});
            same->second << host.host;
            fixes << row.fix;
        }
    }
    QStringList texts;
    for (const auto& [what, names] : complaints)
        texts << names.join(", ") + ": " + what;
    return texts;
}

/// Every pair by name, until there are too many to be read.
QStringList linkComplaints(const QList<HostReport>& hosts, QStringList& fixes)
{
    QStringList texts;
    for (const HostReport& host : hosts) {
        for (const LinkRow& link : host.links) {
            if (link.verdict != Verdict::Fail)
                continue;
            texts << QString("%1 → %2%3: %4")
                         .arg(link.from, link.to, link.way == LinkRow::Way::Ssh ? ", ssh" : "", link.found);
            fixes << link.fix;
        }
    }
    if (const auto more = texts.size() - kMaxLinksToRead; more > 0)
        texts = texts.mid(0, kMaxLinksToRead) << QString("and %1 more links").arg(more);
    return texts;
}

} // namespace

Verdict PreflightReport::worst() const
{
    Verdict worst = Verdict::Ok;
    for (const HostReport& host : hosts)
        worst = std::max(worst, host.worst());
    return worst;
}

Status PreflightReport::judge() const
{
    QStringList fixes;
    QStringList complaints = hostComplaints(hosts, fixes);
    complaints << linkComplaints(hosts, fixes);
    if (complaints.isEmpty())
        return {};
    fixes.removeDuplicates();
    fixes.removeAll(QString());
    const bool reached = std::all_of(hosts.begin(), hosts.end(), std::mem_fn(&HostReport::wasReached));
    return Error{reached ? ErrorKind::Refused : ErrorKind::Unreachable, complaints.join("; ").toStdString(),
                 fixes.mid(0, kMaxFixes).join("; ").toStdString()};
}

Preflight::Preflight(const QStringList& hosts, TargetPool& targets, PreflightOptions options, QObject* parent)
    : QObject(parent), m_targets(targets), m_options(std::move(options))
{
    QStringList names = hosts;
    names.removeDuplicates();
    for (const QString& name : names) {
        HostReport report;
        report.host = name;
        m_report.hosts << report;
    }
}

Preflight::~Preflight() = default;

void Preflight::start()
{
    emit progress("checking the hosts", 0, static_cast<int>(m_report.hosts.size()));
    for (int index = 0; index < m_report.hosts.size(); ++index) {
        auto& check = m_checks.emplace_back(
            std::make_unique<HostCheck>(m_targets.target(m_report.hosts[index].host), m_options.engine));
        connect(check.get(), &HostCheck::finished, this,
                [this, index](const HostReport& report) { onHost(index, report); });
        check->start(m_options.patience);
    }
}

void Preflight::onHost(int index, const HostReport& report)
{
    m_report.hosts[index] = report;
    if (!m_options.mpi)
        m_report.hosts[index].rows.removeIf([](const CheckRow& row) { return row.check == "MPI"; });
    emit hostChecked(m_report.hosts[index]);
    const int total = static_cast<int>(m_report.hosts.size());
    ++m_done;
    emit progress(QString("checked %1 of %2 hosts").arg(m_done).arg(total), m_done, total);
    if (m_done == total)
        QMetaObject::invokeMethod(this, &Preflight::onAllHosts, Qt::QueuedConnection);
}

QList<int> Preflight::reached() const
{
    QList<int> indices;
    for (int index = 0; index < m_report.hosts.size(); ++index) {
        if (m_report.hosts[index].wasReached())
            indices << index;
    }
    return indices;
}

void Preflight::onAllHosts()
{
    if (!m_options.links)
        return emit finished(m_report);
    compareHosts(m_report.hosts, !m_options.engine.usesRuntime);
    const QList<int> indices = reached();
    if (indices.size() < 2)
        return emit finished(m_report);
    QList<LinkCheck::Host> hosts;
    for (const int index : indices)
        hosts << LinkCheck::Host{&m_targets.target(m_report.hosts[index].host),
                                 m_report.hosts[index].facts.raw};
    m_stepsLeft = 1;
    m_links = std::make_unique<LinkCheck>(hosts, m_options.streaming, m_options.network);
    connect(m_links.get(), &LinkCheck::progress, this, [this](const QString& text) {
        emit progress(text, m_done, static_cast<int>(m_report.hosts.size()));
    });
    connect(m_links.get(), &LinkCheck::finished, this, &Preflight::onLinks);
    m_links->start();
    if (m_options.mpi && m_report.hosts.front().wasReached())
        askHeadForLogins();
}

void Preflight::askHeadForLogins()
{
    ++m_stepsLeft;
    QJsonArray names;
    QList<Target*> nodes;
    for (int index = 1; index < m_report.hosts.size(); ++index) {
        const QString& host = m_report.hosts[index].host;
        names << nameForMpi(host);
        nodes << &m_targets.target(host);
    }
    const QJsonObject request{{"op", "reach"},
                              {"hosts", names},
                              {"timeout_ms", kLoginPatienceMs},
                              {"known_hosts", knownHostsOf(nodes)}};
    m_targets.target(m_report.hosts.front().host)
        .call(request, this, [this](const Result<QJsonObject>& reply) { onLogins(reply); });
}

void Preflight::onLogins(const Result<QJsonObject>& reply)
{
    HostReport& head = m_report.hosts.front();
    const QJsonArray answers = reply.ok() ? reply->value("hosts").toArray() : QJsonArray();
    for (int index = 1; index < m_report.hosts.size(); ++index) {
        const QJsonObject answer =
            reply.ok() ? answers.at(index - 1).toObject()
                       : QJsonObject{{"error", QString::fromStdString(reply.error().message)}};
        head.links << loginRow(head.host, m_report.hosts[index].host, answer, !m_options.engine.usesRuntime);
    }
    finishStep();
}

void Preflight::onLinks(const LinkFindings& findings)
{
    const QList<int> indices = reached();
    for (int i = 0; i < indices.size(); ++i) {
        HostReport& host = m_report.hosts[indices[i]];
        host.rows << findings.network;
        host.links << findings.links[i];
    }
    m_report.interface = findings.interface;
    m_report.ipv6 = findings.ipv6;
    m_report.interfaceNames = findings.interfaceNames;
    finishStep();
}

void Preflight::finishStep()
{
    if (--m_stepsLeft == 0)
        emit finished(m_report);
}

} // namespace trainyard
