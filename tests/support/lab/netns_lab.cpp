#include "tests/support/lab/netns_lab.h"

#include <cstddef>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace trainyard::lab {

namespace {

constexpr int kMaxLabs = 100;
constexpr int kMaxHosts = 200; ///< the desk is number 254 of the network
/// More than this know each other from the start: the kernel keeps about 1,000 answers to ARP for all network
/// namespaces together (net.ipv4.neigh.default.gc_thresh3).
constexpr int kHostsThatAsk = 16;

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
    for (m_number = 0; m_number < kMaxLabs && !m_slot.valid(); ++m_number)
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

/// The build first: hosts see it once more where seenInHosts() says.
QStringList NetnsLab::trees() const
{
    return visibleTrees() + m_options.trees;
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

qint64 NetnsLab::bytesFromDesk() const
{
    QFile counter("/sys/class/net/" + m_bridge + "/statistics/tx_bytes");
    return counter.open(QIODevice::ReadOnly) ? counter.readAll().trimmed().toLongLong() : -1;
}

QString NetnsLab::addressOf(int host) const
{
    return QString("10.77.%1.%2").arg(m_number).arg(host);
}

LabHost::Options NetnsLab::hostOptions(int number, const QByteArray& hostsFile) const
{
    LabHost::Options options;
    options.name = QString("node%1").arg(number);
    options.address = addressOf(number);
    options.folder = m_folder.path();
    options.bridge = m_bridge;
    options.link = QString("tyl%1v%2").arg(m_number).arg(number);
    options.diskSize = m_options.diskSize;
    options.hostsFile = hostsFile;
    for (int other = 1; m_options.hosts > kHostsThatAsk && other <= m_options.hosts; ++other)
        options.neighbours << addressOf(other);
    options.neighbours.removeAll(options.address);
    options.sshdOptions = m_options.sshdOptions;
    options.disks = m_disks.mountNamespace();
    options.trees = trees();
    options.sharedFolder = m_options.sharedFolder;
    options.system = m_options.systems.value(number - 1);
    options.linkTool = m_options.linkTools;
    options.linkSeed = m_options.seed * 1000 + static_cast<quint64>(number);
    return options;
}

QString NetnsLab::makeHosts()
{
    QByteArray hostsFile = "127.0.0.1 localhost\n";
    for (int i = 1; i <= m_options.hosts; ++i)
        hostsFile += QString("%1 node%2\n").arg(addressOf(i)).arg(i).toUtf8();
    for (int i = 1; i <= m_options.hosts; ++i) {
        m_hosts.push_back(std::make_unique<LabHost>(hostOptions(i, hostsFile)));
        if (const QString trouble = m_hosts.back()->beginPowerOn(); !trouble.isEmpty())
            return trouble;
    }
    for (const auto& host : m_hosts) {
        if (const QString trouble = host->finishPowerOn(); !trouble.isEmpty())
            return trouble;
    }
    return {};
}

QString NetnsLab::start()
{
    TRAINYARD_CHECK(m_options.hosts <= kMaxHosts);
    if (const QString trouble = makeBridge(); !trouble.isEmpty())
        return trouble;
    if (!QDir(m_folder.path()).mkdir("disks"))
        return "cannot make a folder in " + m_folder.path();
    if (const QString trouble = m_disks.start(m_options.diskSize, file("disks"), trees()); !trouble.isEmpty())
        return trouble;
    if (!runCommand({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", clientKey()}).ok())
        return "ssh-keygen failed";
    if (const QString trouble = makeHosts(); !trouble.isEmpty())
        return trouble;
    const QByteArray known = knownHostsLines();
    for (const auto& host : m_hosts)
        writeFile(host->path("/root/.ssh/known_hosts"), known);
    return {};
}

QByteArray NetnsLab::knownHostsLines() const
{
    QByteArray lines;
    for (const auto& host : m_hosts)
        lines += host->knownHostsLine();
    return lines;
}

void NetnsLab::trustHosts()
{
    writeFile(knownHosts(), knownHostsLines());
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
