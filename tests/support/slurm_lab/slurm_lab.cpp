#include "tests/support/slurm_lab/slurm_lab.h"

#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QTest>

#include "tests/support/patience.h"

namespace trainyard::lab {

namespace {

const QString kFolder = "/etc/slurm"; // where Slurm's commands look; each host gets one of its own
const QString kKey = "/root/slurm/munge.key";
const QString kMpiSettings = "/root/slurm/openmpi"; // in the place of /etc/openmpi
const QString kControllerPid = "/run/slurmctld.pid";
const QString kNodePid = "/run/slurmd.pid";
constexpr int kNodeCores = 2;
constexpr int kNodeGpus = 2; ///< null devices: Slurm counts a GPU whose record names no file as none

constexpr const char* kConfiguration = R"(ClusterName=lab
SlurmctldHost=node1
AuthType=auth/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=/mnt/slurm/state
SlurmdSpoolDir=/mnt/slurm/spool
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd.pid
SlurmctldLogFile=/mnt/slurm/slurmctld.log
SlurmdLogFile=/mnt/slurm/slurmd.log
SlurmctldPort=16817
SlurmdPort=16818
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_interval=2,bf_interval=2
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
ReturnToService=2
SlurmdTimeout=10
SlurmctldTimeout=10
GresTypes=gpu
InactiveLimit=0
KillWait=20
)";

/// Lets the desk's links live meanwhile: a desk that sleeps for minutes takes its hosts for dead.
template <typename Condition>
bool waitUntil(Condition condition)
{
    QElapsedTimer timer;
    timer.start();
    while (!condition()) {
        if (timer.elapsed() > kPatienceMs)
            return false;
        QTest::qWait(100);
    }
    return true;
}

NetnsLab::Options options(int nodes)
{
    NetnsLab::Options options;
    options.hosts = 1 + nodes;
    options.sharedFolder = "/root";
    return options;
}

} // namespace

QString SlurmLab::whyNot()
{
    if (const QString why = NetnsLab::whyNot(); !why.isEmpty())
        return why;
    for (const char* program :
         {"/usr/sbin/slurmctld", "/usr/sbin/slurmd", "/usr/bin/sbatch", "/usr/sbin/munged"}) {
        if (!QFileInfo(program).isExecutable())
            return QString("needs %1 (Debian: slurmctld slurmd slurm-client munge)").arg(program);
    }
    if (!QFileInfo(kFolder).isDir())
        return "needs the folder " + kFolder;
    return {};
}

SlurmLab::SlurmLab(int nodes) : m_lab(options(nodes)) {}

QByteArray SlurmLab::configuration() const
{
    QByteArray text = kConfiguration;
    QByteArrayList names;
    for (int number = 2; number <= m_lab.hostCount(); ++number) {
        names << "node" + QByteArray::number(number);
        text += "NodeName=" + names.last() + " CPUs=" + QByteArray::number(kNodeCores) +
                " RealMemory=100 Gres=gpu:" + QByteArray::number(kNodeGpus) + "\n";
    }
    text += "PartitionName=main Nodes=" + names.join(',') +
            " Default=YES MaxTime=1:00:00 PriorityTier=1 State=UP\n";
    text += "PartitionName=short Nodes=" + names.first() + " MaxTime=10 PriorityTier=1 State=UP\n";
    text += "PartitionName=urgent Nodes=" + names.join(',') +
            " MaxTime=1:00:00 PriorityTier=10 PreemptMode=OFF State=UP\n";
    return text;
}

/// What every host of the cluster has: the configuration, and munge to know each other.
QString SlurmLab::prepare(LabHost& host)
{
    if (const QString trouble = host.mountDisk(kFolder, "size=1m"); !trouble.isEmpty())
        return trouble;
    const QByteArray gpus =
        "AutoDetect=off\nName=gpu File=/run/gpu[0-" + QByteArray::number(kNodeGpus - 1) + "]\n";
    for (const auto& [name, text] : {std::pair("slurm.conf", configuration()), {"gres.conf", gpus}}) {
        QFile file(host.path(kFolder + '/' + name));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) < 0)
            return QString("cannot write %1 of %2").arg(name, host.name());
    }
    const QString makeGpus = "for gpu in $(seq 0 $1); do mknod /run/gpu$gpu c 1 3 || exit; done";
    const QList<QStringList> steps{
        {"sh", "-c", makeGpus, "sh", QString::number(kNodeGpus - 1)},
        {"sh", "-c", "[ ! -d /etc/openmpi ] || mount --bind " + kMpiSettings + " /etc/openmpi"},
        {"mkdir", "-p", "/mnt/slurm/state", "/mnt/slurm/spool", "/run/munge"},
        {"chmod", "755", "/run", "/run/munge"},
        {"munged", "--force", "--key-file=" + kKey, "--pid-file=/run/munge/munged.pid",
         "--log-file=/run/munge/munged.log", "--seed-file=/run/munge/munged.seed"},
    };
    for (const QStringList& step : steps) {
        if (const Finished done = host.run(step); !done.ok())
            return host.name() + ": " + step.join(' ') + ": " + done.errors;
    }
    return {};
}

QString SlurmLab::start()
{
    if (const QString trouble = m_lab.start(); !trouble.isEmpty())
        return trouble;
    m_lab.trustHosts();
    const Finished key = login().run({"sh", "-c",
                                      "mkdir -m 700 /root/slurm && umask 077 && "
                                      "head -c 1024 /dev/urandom > /root/slurm/munge.key"});
    if (!key.ok())
        return "cannot make munge's key: " + key.errors;
    login().run({"cp", "-r", "/etc/openmpi", kMpiSettings});
    endRanksQuickly(true);
    for (int host = 0; host < m_lab.hostCount(); ++host) {
        if (const QString trouble = prepare(m_lab.host(host)); !trouble.isEmpty())
            return trouble;
    }
    if (const QString trouble = startController(); !trouble.isEmpty())
        return trouble;
    for (int index = 0; index < nodeCount(); ++index) {
        if (const QString trouble = startNodeDaemon(index); !trouble.isEmpty())
            return trouble;
    }
    return awaitIdle() ? QString() : "the nodes do not become idle: " + slurm({"sinfo"}).output;
}

QString SlurmLab::startController()
{
    const Finished started = login().run({"slurmctld", "-f", kFolder + "/slurm.conf"});
    if (!started.ok())
        return "slurmctld: " + started.errors;
    return waitUntil([this] {
        return slurm({"scontrol", "ping"}).output.contains("is UP");
    })
               ? QString()
               : "slurmctld does not answer";
}

QString SlurmLab::startNodeDaemon(int index)
{
    const Finished started =
        node(index).run({"slurmd", "-f", kFolder + "/slurm.conf", "-N", nodeName(index)});
    return started.ok() ? QString() : "slurmd of " + nodeName(index) + ": " + started.errors;
}

/// The daemon alone, by the id that it recorded.
void SlurmLab::endRecorded(LabHost& host, const QString& pidFile, const QString& signal)
{
    const QByteArray pid = host.run({"cat", pidFile}).output.simplified();
    if (pid.toLongLong() <= 1)
        return;
    host.run({"kill", "-s", signal, pid});
    waitUntil([&] { return !QFile::exists(host.path("/proc/" + pid)); });
    host.run({"rm", "-f", pidFile});
}

/// Killed, it would forget the jobs of the last five seconds and give their numbers to others, while they
/// still run.
void SlurmLab::stopController()
{
    endRecorded(login(), kControllerPid, "TERM");
}

void SlurmLab::killNodeDaemon(int index)
{
    endRecorded(node(index), kNodePid, "KILL");
}

QString SlurmLab::mend()
{
    for (int index = 0; index < nodeCount(); ++index)
        node(index).restoreLink();
    if (!QFile::exists(login().path(kControllerPid))) {
        if (const QString trouble = startController(); !trouble.isEmpty())
            return trouble;
    }
    for (int index = 0; index < nodeCount(); ++index) {
        const bool isUp = QFile::exists(node(index).path(kNodePid));
        if (const QString trouble = isUp ? QString() : startNodeDaemon(index); !trouble.isEmpty())
            return trouble;
    }
    for (int index = 0; index < nodeCount(); ++index) // refused where it is not drained
        slurm({"scontrol", "update", "NodeName=" + nodeName(index), "State=RESUME"});
    const Finished cancelled = slurm({"scancel", "--user=root"});
    return cancelled.ok() ? QString() : "scancel: " + cancelled.errors;
}

/// By the one file that wins over mpirun's command line.
void SlurmLab::endRanksQuickly(bool quickly)
{
    QFile settings(login().path(kMpiSettings + "/openmpi-mca-params-override.conf"));
    settings.remove();
    if (quickly && settings.open(QIODevice::WriteOnly))
        settings.write("odls_base_sigkill_timeout = 1\n");
}

bool SlurmLab::awaitIdle()
{
    return waitUntil([this] {
        const QByteArray states =
            slurm({"sinfo", "--noheader", "--Node", "--partition=main", "--format=%T"}).output;
        return states.simplified().split(' ') == QByteArrayList(nodeCount(), "idle");
    });
}

QString SlurmLab::jobField(const QString& job, const QString& field)
{
    const QByteArray line = slurm({"scontrol", "show", "job", "--oneliner", job}).output;
    for (const QByteArray& word : line.simplified().split(' ')) {
        if (word.startsWith(field.toLatin1() + '='))
            return QString::fromLatin1(word.mid(field.size() + 1));
    }
    return {};
}

void SlurmLab::hurry(const QString& job)
{
    slurm({"scontrol", "update", "JobId=" + job, "StartTime=now"});
}

} // namespace trainyard::lab
