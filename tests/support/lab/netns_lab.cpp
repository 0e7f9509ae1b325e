#include "tests/support/lab/netns_lab.h"

#include <cstddef>

#include <QFile>
#include <QFileInfo>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace trainyard::lab {

namespace {

constexpr int kMostLabs = 100;

bool writeFile(const QString& path, const QByteArray& content)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
}

/// A name in the abstract socket namespace: taken once, free again when the process ends, nothing to clean
/// up.
FileDescriptor takeName(const QString& name)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const QByteArray text = name.toLatin1();
    std::copy(text.begin(), text.end(), address.sun_path + 1);
    FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + std::size_t(text.size()));
    if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size) != 0)
        socket.reset();
    return socket;
}

} // namespace

QString NetnsLab::whyNot()
{
    if (::geteuid() != 0)
        return "needs root to make network namespaces";
    if (!QFileInfo("/usr/sbin/sshd").isExecutable())
        return "needs sshd (Debian: openssh-server)";
    if (!runCommand({"unshare", "--net", "--uts", "--mount", "--pid", "--ipc", "--fork", "true"}).ok())
        return "this kernel or container does not allow new namespaces";
    if (!runCommand({"ip", "link", "show", "lo"}).ok())
        return "needs ip (Debian: iproute2)";
    return {};
}

NetnsLab::NetnsLab(const Options& options) : m_options(options), m_folder("/var/tmp/trainyard-lab-XXXXXX") {}

NetnsLab::~NetnsLab()
{
    m_hosts.clear();
    if (!m_bridge.isEmpty()) {
        runCommand(
            {"ip", "route", "del", "blackhole", QString("10.77.%1.0/24").arg(m_number), "metric", "4000"});
        runCommand({"ip", "link", "del", m_bridge});
    }
}

QString NetnsLab::makeBridge()
{
    for (m_number = 0; m_number < kMostLabs && !m_slot.valid(); ++m_number)
        m_slot = takeName(QString("trainyard-lab-%1").arg(m_number));
    if (!m_slot.valid())
        return "too many labs at once";
    --m_number;
    m_bridge = QString("tylab%1").arg(m_number);
    runCommand({"ip", "link", "del", m_bridge}); // left by a lab that crashed
    const QList<QStringList> steps{
        {"ip", "link", "add", m_bridge, "type", "bridge"},
        {"ip", "addr", "add", deskAddress(), "dev", m_bridge},
        {"ip", "link", "set", m_bridge, "up"},
    };
    for (const QStringList& step : steps) {
        if (const Finished done = runCommand(step); !done.ok())
            return step.join(' ') + ": " + done.errors;
    }
    return {};
}

QString NetnsLab::deskAddress() const
{
    return QString("10.77.%1.254/24").arg(m_number);
}

/// Without its address this machine neither sends to the hosts nor answers for it; the bridge goes on between
/// them. The blackhole keeps packets for the lab from leaving by another way.
void NetnsLab::cutDesk()
{
    runCommand({"ip", "route", "add", "blackhole", QString("10.77.%1.0/24").arg(m_number), "metric", "4000"});
    runCommand({"ip", "addr", "del", deskAddress(), "dev", m_bridge});
}

void NetnsLab::restoreDesk()
{
    runCommand({"ip", "addr", "add", deskAddress(), "dev", m_bridge});
    runCommand({"ip", "route", "del", "blackhole", QString("10.77.%1.0/24").arg(m_number), "metric", "4000"});
}

QString NetnsLab::start()
{
    if (const QString trouble = makeBridge(); !trouble.isEmpty())
        return trouble;
    if (!runCommand({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", clientKey()}).ok())
        return "ssh-keygen failed";
    QByteArray hostsFile = "127.0.0.1 localhost\n";
    for (int i = 1; i <= m_options.hosts; ++i)
        hostsFile += QString("10.77.%1.%2 node%2\n").arg(m_number).arg(i).toUtf8();
    QByteArray known;
    for (int i = 1; i <= m_options.hosts; ++i) {
        const QString number = QString::number(i);
        m_hosts.push_back(std::make_unique<LabHost>(LabHost::Options{
            "node" + number, QString("10.77.%1.%2").arg(m_number).arg(i), m_folder.path(), m_bridge,
            QString("tyl%1v%2").arg(m_number).arg(i), m_options.diskSize, hostsFile, m_options.sshdOptions}));
        if (const QString trouble = m_hosts.back()->start(); !trouble.isEmpty())
            return trouble;
        known += m_hosts.back()->knownHostsLine();
    }
    for (const auto& host : m_hosts)
        writeFile(host->path("/root/.ssh/known_hosts"), known);
    return {};
}

void NetnsLab::trustHosts()
{
    QByteArray known;
    for (const auto& host : m_hosts)
        known += host->knownHostsLine();
    writeFile(knownHosts(), known);
}

TargetOptions NetnsLab::targetOptions() const
{
    TargetOptions options;
    options.agentPath = QStringLiteral(TRAINYARD_AGENT_PROGRAM);
    options.user = "root";
    options.sshConfigFile = "none";
    options.identityFiles = QStringList{clientKey()};
    options.knownHostsFile = knownHosts();
    options.useSshAgent = false;
    return options;
}

} // namespace trainyard::lab
