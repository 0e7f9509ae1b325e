#include "tests/support/lab/lab_host.h"

#include <csignal>

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTcpSocket>
#include <QThread>
#include <QUuid>
#include <sys/prctl.h>
#include <unistd.h>

#include "tests/support/lab/lab_pids.h"
#include "tests/support/lab/tracing_filter.h"
#include "tests/support/patience.h"

namespace trainyard::lab {

namespace {

// Where everything else of a host lives: the lab's mount namespace of disks. A disk is made once; then the
// host's own namespaces are. $1 = folder with this host's files, $2 = host name, $3 = size of its disk, $4 =
// where the shared folder is seen, $5 = boot id, $6 = kInit, $7 = root of another system; then the trees. A
// slow home is slow for a group of processes, to which all that runs on the host belongs.
constexpr const char* kPowerOn = R"(
set -e
disk="/mnt/$2"
if [ ! -e "$disk/made" ]; then
    mkdir -p "$disk"
    mount -t tmpfs -o "size=$3,mode=755" lab "$disk"
    cp -r "$1/lab" "$disk/lab"
    chmod 600 "$disk"/lab/*
    cp "$1/hosts" "$disk/hosts"
    mkdir -m 1777 "$disk/vartmp"
    mkdir -m 700 "$disk/root"
    if [ -n "$LAB_HOME_RATE" ]; then
        truncate -s "$LAB_HOME_SIZE" "$disk/home"
        mkfs.ext4 -q -F -m 0 "$disk/home"
        mount -o loop "$disk/home" "$disk/root"
        rmdir "$disk/root/lost+found"
    elif [ -n "$LAB_HOME_SIZE" ]; then
        mount -t tmpfs -o "size=$LAB_HOME_SIZE,mode=700" lab "$disk/root"
    fi
    if [ -n "$7" ]; then
        mkdir "$disk/upper" "$disk/work" "$disk/system"
        mount -t overlay -o "lowerdir=$7,upperdir=$disk/upper,workdir=$disk/work" lab "$disk/system"
    fi
    touch "$disk/made"
fi
if [ -n "$LAB_HOME_RATE" ]; then
    device=$(mountpoint -d "$disk/root")
    mkdir -p "$LAB_GROUP"
    for direction in read write; do
        echo "$device $LAB_HOME_RATE" > "$LAB_GROUP/blkio.throttle.${direction}_bps_device"
    done
    echo $$ > "$LAB_GROUP/cgroup.procs"
fi
home="$disk/root"
[ "$4" != /root ] || home=/mnt/shared
mkdir -p "$home/.ssh"
cp "$1"/home/.ssh/* "$home/.ssh"
chmod -R go-rwx "$home"
name=$2 shared=$4 boot=$5 init=$6
shift 7
exec unshare --net --uts --mount --pid --ipc --fork --kill-child --mount-proc --propagation private \
    sh -c "$init" init "$name" "$shared" "$boot" "$@"
)";

// The first process inside: sets the host up, says so, and collects children until the namespaces end. $1 =
// host name, $2 = where the shared folder is seen, $3 = boot id; then the trees, of which those are
// mounted once more that lie below what the host has of its own. /mnt becomes the host's own disk last, which
// hides those of the others. Another system is entered at the end, so that nothing is asked of its tools.
constexpr const char* kInit = R"(
set -e
hostname "$1"
disk="/mnt/$1"
case "$2" in
'') ;;
/root*) mkdir -p "$disk$2"; mount --bind /mnt/shared "$disk$2" ;;
*) mount --bind /mnt/shared "$2" ;;
esac
rm -rf "$disk/tmp" "$disk/shm" "$disk/run"
mkdir -m 1777 "$disk/tmp" "$disk/shm"
mkdir -p "$disk/run/sshd"
echo "$3" > "$disk/lab/boot_id"
mount --bind "$disk/lab/boot_id" /proc/sys/kernel/random/boot_id
mount --bind "$disk/hosts" /etc/hosts
mount --bind "$disk/shm" /dev/shm
mount --bind "$disk/run" /run
mount --bind "$disk/vartmp" /var/tmp
mount --bind "$disk/tmp" /tmp
mount --rbind "$disk/root" /root
shift 3
number=0
for tree; do
    case $tree in
    /mnt/*) seen=$disk${tree#/mnt} ;;
    *) seen=$tree ;;
    esac
    if ! [ "$seen" -ef "/mnt/trees/$number" ]; then
        mkdir -p "$seen"
        mount --bind "/mnt/trees/$number" "$seen"
    fi
    number=$((number + 1))
done
mkdir -p "$disk/build"
mount --bind /mnt/trees/0 "$disk/build"
ip link set lo up
root=$disk/system
if [ ! -d "$root" ]; then
    mount --rbind "$disk" /mnt
    cd /root
    /usr/sbin/sshd -f /mnt/lab/sshd_config -E /mnt/lab/sshd.log
    echo ready
    while :; do sleep 1; done
fi
touch "$root/etc/hosts"
[ -z "$LAB_SHELL" ] || sed -i "s#^\(root:.*:\)[^:]*\$#\1$LAB_SHELL#" "$root/etc/passwd"
mount --bind "$disk/hosts" "$root/etc/hosts"
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --rbind /sys "$root/sys"
[ -z "$LAB_SHM" ] || mount -t tmpfs -o "size=$LAB_SHM,mode=1777" lab "$root/dev/shm"
mount --bind "$disk/run" "$root/run"
mount --bind "$disk/vartmp" "$root/var/tmp"
mount --bind "$disk/tmp" "$root/tmp"
mount --rbind "$disk/root" "$root/root"
mount --bind "$disk" "$root/mnt"
[ -z "$LAB_READ_ONLY" ] || mount -o remount,bind,ro "$root"
mount --rbind "$disk" /mnt
chroot /mnt/system /usr/sbin/sshd -f /mnt/lab/sshd_config -E /mnt/lab/sshd.log
echo ready
exec chroot /mnt/system /bin/sh -c 'while :; do sleep 1; done'
)";

const QString kThrottledGroups = "/sys/fs/cgroup/blkio";
const QStringList kEnvironment{"HOME=/root", "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"};

void writeFile(const QString& path, const QByteArray& content)
{
    QFile file(path);
    if (file.open(QIODevice::WriteOnly))
        file.write(content);
}

/// For kPowerOn and kInit.
QStringList environmentOf(const HostSystem& system, const QString& group)
{
    return {"LAB_SHELL=" + system.shell,
            "LAB_SHM=" + system.sharedMemory,
            system.isReadOnly ? "LAB_READ_ONLY=yes" : "LAB_READ_ONLY=",
            "LAB_HOME_SIZE=" + system.homeSize,
            "LAB_HOME_RATE=" + (system.homeRate > 0 ? QString::number(system.homeRate) : QString()),
            "LAB_GROUP=" + group};
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

/// The hardware address of the host with this address: 02:00 and the address's four bytes.
QByteArray hardwareAddress(const QString& address)
{
    QByteArray bytes;
    for (const QString& part : address.split('.'))
        bytes += static_cast<char>(part.toUShort());
    return "02:00:" + bytes.toHex(':');
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

QString whyNoSlowDisk()
{
    if (!QFile::exists(kThrottledGroups + "/blkio.throttle.write_bps_device"))
        return "needs control groups of version 1 with the controller blkio, which slows disks down";
    if (!QFile::exists("/dev/loop-control"))
        return "needs loop devices";
    return {};
}

LabHost::LabHost(const Options& options) : m_options(options) {}

LabHost::~LabHost()
{
    powerOff();
    QDir().rmdir(group());
}

/// The host's processes, as far as its disk concerns them.
QString LabHost::group() const
{
    return kThrottledGroups + '/' + m_options.link;
}

QString LabHost::prepareFiles() const
{
    QDir dir(folder());
    if (!dir.mkpath("home/.ssh") || !dir.mkpath("lab"))
        return "cannot make " + folder();
    if (!generateKey(folder() + "/lab/host_key"))
        return "ssh-keygen failed";
    const QString clientKey = m_options.folder + "/client_key";
    QFile::copy(clientKey, folder() + "/home/.ssh/id_ed25519");
    QFile::copy(clientKey + ".pub", folder() + "/home/.ssh/authorized_keys");
    writeFile(folder() + "/hosts", m_options.hostsFile);
    writeFile(
        folder() + "/lab/sshd_config",
        "Port 22\nListenAddress 0.0.0.0\nHostKey /mnt/lab/host_key\nPidFile /run/sshd.pid\n"
        "AuthorizedKeysFile /root/.ssh/authorized_keys\nStrictModes no\nUsePAM no\nPermitRootLogin yes\n"
        "PasswordAuthentication no\nKbdInteractiveAuthentication no\nMaxStartups 100:30:200\n" +
            m_options.sshdOptions.join('\n').toUtf8() + '\n');
    return {};
}

QString LabHost::beginPowerOn()
{
    if (!QFile::exists(folder())) {
        if (const QString trouble = prepareFiles(); !trouble.isEmpty())
            return trouble;
    }
    m_namespaces = std::make_unique<QProcess>();
    // Also when the test itself dies.
    m_namespaces->setChildProcessModifier([deniesTracing = m_options.system.deniesTracing] {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (deniesTracing && !denyTracing())
            ::_exit(1);
    });
    m_namespaces->setEnvironment(kEnvironment + environmentOf(m_options.system, group()));
    const QString bootId = QUuid::createUuid().toString(QUuid::WithoutBraces);
    const QStringList arguments{"--mount=" + m_options.disks,
                                "--wd=/",
                                "sh",
                                "-c",
                                kPowerOn,
                                "host",
                                folder(),
                                m_options.name,
                                m_options.diskSize,
                                m_options.sharedFolder,
                                bootId,
                                kInit,
                                m_options.system.root};
    m_namespaces->start("nsenter", arguments + m_options.trees);
    return {};
}

QString LabHost::awaitInit()
{
    QByteArray said;
    while (!said.contains("ready")) {
        if (!m_namespaces->waitForReadyRead(kPatienceMs))
            return m_options.name + " does not start: " + m_namespaces->readAllStandardError();
        said += m_namespaces->readAllStandardOutput();
    }
    const QString unshare = QString::number(m_namespaces->processId());
    m_init = readAll("/proc/" + unshare + "/task/" + unshare + "/children").simplified().toLongLong();
    return {};
}

QString LabHost::makeCable()
{
    const QString& link = m_options.link;
    if (m_options.linkTool) {
        m_cable = std::make_unique<LabLink>();
        if (const QString trouble = m_cable->start({link, m_init, m_options.linkSeed}); !trouble.isEmpty())
            return trouble;
        return m_cable->set(m_toHost, m_fromHost);
    }
    const Finished made = runCommand({"ip", "link", "add", link, "type", "veth", "peer", "name", "eth0",
                                      "netns", QString::number(m_init)});
    return made.ok() ? QString() : m_options.name + ": ip link add: " + made.errors;
}

QString LabHost::plugIn()
{
    if (const QString trouble = makeCable(); !trouble.isEmpty())
        return trouble;
    const Finished bridged =
        runCommand({"ip", "link", "set", m_options.link, "master", m_options.bridge, "up"});
    QByteArray steps = "link set eth0 address " + hardwareAddress(m_options.address) + "\naddr add " +
                       m_options.address.toLatin1() + "/24 dev eth0\nlink set eth0 up\n";
    for (const QString& neighbour : m_options.neighbours)
        steps += "neigh add " + neighbour.toLatin1() + " lladdr " + hardwareAddress(neighbour) +
                 " nud permanent dev eth0\n";
    const Finished up = runTool({"ip", "-batch", "-"}, steps);
    return bridged.ok() && up.ok() ? QString() : m_options.name + ": ip: " + bridged.errors + up.errors;
}

QString LabHost::finishPowerOn()
{
    if (const QString trouble = awaitInit(); !trouble.isEmpty())
        return trouble;
    if (const QString trouble = plugIn(); !trouble.isEmpty())
        return trouble;
    return waitUntil([this] { return sshdAnswers(); }) ? QString()
                                                       : m_options.name + ": sshd does not answer";
}

QString LabHost::powerOn()
{
    const QString trouble = beginPowerOn();
    return trouble.isEmpty() ? finishPowerOn() : trouble;
}

void LabHost::powerOff()
{
    m_cable.reset(); // before the namespace that it holds
    if (!m_namespaces)
        return;
    // The first process takes every other one inside with it, and `unshare`, its parent, collects it and
    // ends.
    if (m_init > 0)
        ::kill(static_cast<pid_t>(m_init), SIGKILL);
    else
        m_namespaces->kill();
    m_namespaces->waitForFinished(kPatienceMs);
    m_namespaces.reset();
    m_init = 0;
    // The kernel takes its time to clear a network namespace away.
    runCommand({"ip", "link", "del", m_options.link});
}

QString LabHost::reboot()
{
    powerOff();
    return powerOn();
}

QString LabHost::setLink(const link::LinkConditions& toHost, const link::LinkConditions& fromHost)
{
    if (!m_cable)
        return m_options.name + " is not plugged in through the link tool";
    m_toHost = toHost;
    m_fromHost = fromHost;
    return m_cable->set(toHost, fromHost);
}

QString LabHost::mountDisk(const QString& insidePath, const QString& options) const
{
    const Finished made = run({"mkdir", "-p", insidePath});
    const Finished mounted = run({"mount", "-t", "tmpfs", "-o", options, "lab", insidePath});
    return made.ok() && mounted.ok() ? QString() : QString(made.errors + mounted.errors);
}

QString LabHost::remountDisk(const QString& insidePath, const QString& options) const
{
    const Finished mounted = run({"mount", "-o", "remount," + options, insidePath});
    return mounted.ok() ? QString() : QString(mounted.errors);
}

QString LabHost::unmountDisk(const QString& insidePath) const
{
    const Finished unmounted = run({"umount", "--lazy", insidePath});
    return unmounted.ok() ? QString() : QString(unmounted.errors);
}

QStringList LabHost::inside(const QStringList& command) const
{
    return QStringList{"nsenter", "--target", QString::number(m_init), "--all",
                       "--wd=/proc/" + QString::number(m_init) + "/root/root"} +
           command;
}

Finished LabHost::run(const QStringList& command, const QByteArray& input) const
{
    return runTool((m_options.system.root.isEmpty() ? QStringList() : QStringList{"chroot", "/mnt/system"}) +
                       command,
                   input);
}

/// A program of this machine, in the host's namespaces.
Finished LabHost::runTool(const QStringList& command, const QByteArray& input) const
{
    return runCommand(QStringList{"env", "-i"} + kEnvironment + inside(command), input);
}

QStringList LabHost::filesIn(const QString& folder) const
{
    QStringList files = QDir(path(folder)).entryList(QDir::AllEntries | QDir::NoDotAndDotDot);
    for (const QString& tree : m_options.trees) {
        if (tree.startsWith(folder + '/'))
            files.removeAll(tree.section('/', folder.count('/') + 1, folder.count('/') + 1));
    }
    return files;
}

QString LabHost::path(const QString& insidePath) const
{
    return QString("/proc/%1/root%2").arg(m_init).arg(insidePath);
}

qint64 LabHost::sshdPid() const
{
    return readAll(path("/run/sshd.pid")).simplified().toLongLong();
}

bool LabHost::sshdAnswers() const
{
    QTcpSocket probe;
    probe.connectToHost(m_options.address, 22);
    return probe.waitForReadyRead(500);
}

bool LabHost::startSshd()
{
    if (!run({"/usr/sbin/sshd", "-f", "/mnt/lab/sshd_config", "-E", "/mnt/lab/sshd.log"}).ok())
        return false;
    return waitUntil([this] { return sshdAnswers(); });
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

QList<qint64> LabHost::connectionPids() const
{
    // Connections stay when the listening sshd is started anew, as children of the first process.
    const qint64 listener = sshdPid();
    QList<qint64> connections;
    for (const LabProcess& process : processTree(m_init)) {
        if (process.name == "sshd" && process.inside != listener)
            connections << process.pid;
    }
    return connections;
}

void LabHost::resetConnections()
{
    for (const qint64 pid : connectionPids())
        ::kill(static_cast<pid_t>(pid), SIGKILL);
}

bool LabHost::changeHostKey()
{
    stopSshd();
    if (!generateKey(path("/mnt/lab/host_key")))
        return false;
    return startSshd();
}

QByteArray LabHost::knownHostsLine() const
{
    const QList<QByteArray> words = readAll(path("/mnt/lab/host_key.pub")).simplified().split(' ');
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
