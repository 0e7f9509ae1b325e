#include "tests/support/lab/lab_host.h"

#include <csignal>

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTcpSocket>
#include <QThread>
#include <sys/prctl.h>

#include "tests/support/patience.h"

namespace trainyard::lab {

namespace {

// The first process inside: sets the host up, says so, and collects children until the namespaces end. $1 =
// folder with this host's files, $2 = host name, $3 = size of its disk. The disk is built under /mnt, because
// the places it is bound to may hide the lab's own folder.
constexpr const char* kInit = R"(
set -e
hostname "$2"
mount -t tmpfs -o "size=$3,mode=755" lab /mnt
cp -r "$1/home" /mnt/root
cp "$1/hosts" /mnt/hosts
mkdir -m 1777 /mnt/tmp /mnt/vartmp /mnt/shm
mkdir -p /mnt/run/sshd
chmod 700 /mnt/root /mnt/root/.ssh
chmod 600 /mnt/root/.ssh/* /mnt/root/.lab/*
mount --bind /mnt/hosts /etc/hosts
mount --bind /mnt/shm /dev/shm
mount --bind /mnt/run /run
mount --bind /mnt/vartmp /var/tmp
mount --bind /mnt/tmp /tmp
mount --bind /mnt/root /root
cd /root
ip link set lo up
echo ready
while :; do sleep 1; done
)";

void writeFile(const QString& path, const QByteArray& content)
{
    QFile file(path);
    if (file.open(QIODevice::WriteOnly))
        file.write(content);
}

QByteArray readAll(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

bool generateKey(const QString& path)
{
    QFile::remove(path);
    return runCommand({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path}).ok();
}

template <typename Condition>
bool waitUntil(Condition condition)
{
    QElapsedTimer timer;
    timer.start();
    while (!condition()) {
        if (timer.elapsed() > kPatienceMs)
            return false;
        QThread::msleep(20);
    }
    return true;
}

} // namespace

LabHost::LabHost(const Options& options) : m_options(options) {}

LabHost::~LabHost()
{
    if (!m_namespaces)
        return;
    // `unshare --kill-child` takes the first process with it, and that every process inside.
    m_namespaces->kill();
    m_namespaces->waitForFinished();
    if (m_init > 0)
        waitUntil([this] { return !QFile::exists(QString("/proc/%1").arg(m_init)); });
}

QString LabHost::prepareFiles() const
{
    QDir dir(folder());
    if (!dir.mkpath("home/.ssh") || !dir.mkpath("home/.lab"))
        return "cannot make " + folder();
    if (!generateKey(folder() + "/home/.lab/host_key"))
        return "ssh-keygen failed";
    const QString clientKey = m_options.folder + "/client_key";
    QFile::copy(clientKey, folder() + "/home/.ssh/id_ed25519");
    QFile::copy(clientKey + ".pub", folder() + "/home/.ssh/authorized_keys");
    writeFile(folder() + "/hosts", m_options.hostsFile);
    writeFile(
        folder() + "/home/.lab/sshd_config",
        "Port 22\nListenAddress 0.0.0.0\nHostKey /root/.lab/host_key\nPidFile /run/sshd.pid\n"
        "AuthorizedKeysFile /root/.ssh/authorized_keys\nStrictModes no\nUsePAM no\nPermitRootLogin yes\n"
        "PasswordAuthentication no\nKbdInteractiveAuthentication no\nMaxStartups 100:30:200\n" +
            m_options.sshdOptions.join('\n').toUtf8() + '\n');
    return {};
}

QString LabHost::plugIn() const
{
    const QString& link = m_options.link;
    const QString net = QString::number(m_init);
    const QList<QStringList> steps{
        {"ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", net},
        {"ip", "link", "set", link, "master", m_options.bridge, "up"},
        inside({"ip", "addr", "add", m_options.address + "/24", "dev", "eth0"}),
        inside({"ip", "link", "set", "eth0", "up"}),
    };
    for (const QStringList& step : steps) {
        if (const Finished done = runCommand(step); !done.ok())
            return step.join(' ') + ": " + done.errors;
    }
    return {};
}

QString LabHost::start()
{
    if (const QString trouble = prepareFiles(); !trouble.isEmpty())
        return trouble;
    m_namespaces = std::make_unique<QProcess>();
    // Also when the test itself dies.
    m_namespaces->setChildProcessModifier([] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); });
    m_namespaces->start("unshare", {"--net", "--uts", "--mount", "--pid", "--ipc", "--fork", "--kill-child",
                                    "--mount-proc", "--propagation", "private", "sh", "-c", kInit, "init",
                                    folder(), m_options.name, m_options.diskSize});
    const auto isReady = [this] {
        return m_namespaces->waitForReadyRead(50) && m_namespaces->readAllStandardOutput().contains("ready");
    };
    if (!waitUntil(isReady))
        return m_options.name + " does not start: " + m_namespaces->readAllStandardError();
    const QString unshare = QString::number(m_namespaces->processId());
    m_init = readAll("/proc/" + unshare + "/task/" + unshare + "/children").simplified().toLongLong();
    if (const QString trouble = plugIn(); !trouble.isEmpty())
        return trouble;
    return startSshd() ? QString() : m_options.name + ": sshd does not answer";
}

QStringList LabHost::inside(const QStringList& command) const
{
    return QStringList{"nsenter", "--target", QString::number(m_init), "--all",
                       "--wd=/proc/" + QString::number(m_init) + "/root/root"} +
           command;
}

Finished LabHost::run(const QStringList& command, const QByteArray& input) const
{
    return runCommand(
        QStringList{"env", "-i", "HOME=/root", "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"} +
            inside(command),
        input);
}

QString LabHost::path(const QString& insidePath) const
{
    return QString("/proc/%1/root%2").arg(m_init).arg(insidePath);
}

qint64 LabHost::sshdPid() const
{
    return readAll(path("/run/sshd.pid")).simplified().toLongLong();
}

bool LabHost::startSshd()
{
    if (!run({"/usr/sbin/sshd", "-f", "/root/.lab/sshd_config", "-E", "/root/.lab/sshd.log"}).ok())
        return false;
    return waitUntil([this] {
        QTcpSocket probe;
        probe.connectToHost(m_options.address, 22);
        return probe.waitForReadyRead(500);
    });
}

void LabHost::stopSshd()
{
    if (const qint64 pid = sshdPid(); pid > 0)
        run({"kill", QString::number(pid)});
    waitUntil([this] { return !QFile::exists(path("/run/sshd.pid")); });
}

void LabHost::freezeSshd()
{
    run({"kill", "-STOP", QString::number(sshdPid())});
}

void LabHost::thawSshd()
{
    run({"kill", "-CONT", QString::number(sshdPid())});
}

void LabHost::resetConnections()
{
    for (const QByteArray& pid : run({"pgrep", "-x", "sshd"}).output.simplified().split(' ')) {
        if (!pid.isEmpty() && pid.toLongLong() != sshdPid())
            run({"kill", "-9", pid});
    }
}

bool LabHost::changeHostKey()
{
    stopSshd();
    if (!generateKey(path("/root/.lab/host_key")))
        return false;
    return startSshd();
}

QByteArray LabHost::knownHostsLine() const
{
    const QList<QByteArray> words = readAll(path("/root/.lab/host_key.pub")).simplified().split(' ');
    return m_options.address.toUtf8() + ' ' + words.value(0) + ' ' + words.value(1) + '\n';
}

void LabHost::cutLink()
{
    runCommand({"ip", "link", "set", m_options.link, "down"});
}

void LabHost::restoreLink()
{
    runCommand({"ip", "link", "set", m_options.link, "up"});
}

} // namespace trainyard::lab
