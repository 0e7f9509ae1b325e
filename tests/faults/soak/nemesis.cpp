#include "tests/faults/soak/nemesis.h"

#include <csignal>

#include "tests/support/lab/lab_pids.h"

namespace trainyard::soak {

namespace {

constexpr int kHourSeconds = 3600;

link::LinkConditions conditionsOf(FaultKind kind)
{
    link::LinkConditions conditions;
    conditions.blocked = kind == FaultKind::CutLink;
    conditions.delay = std::chrono::milliseconds(kind == FaultKind::DelayLink ? 200 : 0);
    conditions.loss = kind == FaultKind::LosePackets ? 0.05 : 0;
    conditions.rate = kind == FaultKind::SlowLink ? 1'000'000 : 0;
    return conditions;
}

QList<qint64> pidsOf(const QList<lab::LabProcess>& processes)
{
    QList<qint64> pids;
    for (const lab::LabProcess& process : processes)
        pids << process.pid;
    return pids;
}

/// The agents that serve desks over ssh.
QList<qint64> servingAgents(const lab::LabHost& host)
{
    QList<qint64> pids;
    for (const lab::LabProcess& process : lab::processTree(host.pid())) {
        if (process.commandLine.contains("trainyard-agent serve"))
            pids << process.pid;
    }
    return pids;
}

/// "pid 4711, 4712"; empty for none.
QString namesOf(const QList<qint64>& processes)
{
    QStringList names;
    for (const qint64 pid : processes)
        names << QString::number(pid);
    return names.isEmpty() ? QString() : "pid " + names.join(", ");
}

void signalAll(const QList<qint64>& processes, int signal)
{
    for (const qint64 pid : processes)
        ::kill(static_cast<pid_t>(pid), signal);
}

} // namespace

Nemesis::Nemesis(lab::NetnsLab& lab, SupervisedRun& run, DeskProcess& desk, std::vector<PlannedFault> plan)
    : m_lab(lab), m_run(run), m_desk(desk), m_plan(std::move(plan))
{
}

void Nemesis::act(Moment now, HistoryFile& history)
{
    std::erase_if(m_lasting, [&](const Lasting& lasting) {
        if (lasting.fault.atMs + lasting.fault.lastsMs > now)
            return false;
        heal(lasting);
        history.add(now, Healed{std::string(nameOf(lasting.fault.kind)), lasting.fault.host});
        return true;
    });
    for (; m_next < m_plan.size() && m_plan[m_next].atMs <= now; ++m_next) {
        const PlannedFault& fault = m_plan[m_next];
        Lasting lasting{fault, {}};
        const QString how = inject(fault, lasting.processes);
        history.add(now,
                    Injected{std::string(nameOf(fault.kind)), fault.host, fault.lastsMs, how.toStdString()});
        m_injected += how.isEmpty() ? 0 : 1;
        if (fault.lastsMs > 0)
            m_lasting.push_back(std::move(lasting));
    }
}

void Nemesis::healAll(Moment now, HistoryFile& history)
{
    m_next = m_plan.size();
    for (const Lasting& lasting : m_lasting) {
        heal(lasting);
        history.add(now, Healed{std::string(nameOf(lasting.fault.kind)), lasting.fault.host});
    }
    m_lasting.clear();
}

QList<qint64> Nemesis::victims(const PlannedFault& fault) const
{
    switch (fault.kind) {
    case FaultKind::KillWorker:
    case FaultKind::SuspendWorker:
        return pidsOf(m_run.processes(fault.host, "trainyard-worker"));
    case FaultKind::KillLauncher:
        return pidsOf(m_run.processes(fault.host, fault.host == 0 ? "mpirun" : "orted"));
    case FaultKind::KillSupervisor:
        return m_run.supervisor() > 0 ? QList<qint64>{m_run.supervisor()} : QList<qint64>{};
    case FaultKind::KillAgent:
        return servingAgents(m_lab.host(fault.host));
    case FaultKind::ResetConnections:
        return m_lab.host(fault.host).connectionPids();
    case FaultKind::KillDesk:
        return m_desk.pid() > 0 ? QList<qint64>{m_desk.pid()} : QList<qint64>{};
    default:
        return {};
    }
}

QString Nemesis::inject(const PlannedFault& fault, QList<qint64>& suspended)
{
    switch (fault.kind) {
    case FaultKind::CutLink:
    case FaultKind::DelayLink:
    case FaultKind::LosePackets:
    case FaultKind::SlowLink:
        return setLink(fault.host, conditionsOf(fault.kind));
    case FaultKind::FillDisk:
        return fillDisk(fault.host);
    case FaultKind::JumpClock:
        return setClock(fault.host, fault.lastsMs % 2 == 0 ? kHourSeconds : -kHourSeconds);
    case FaultKind::SuspendWorker:
        suspended = victims(fault);
        signalAll(suspended, SIGSTOP);
        return namesOf(suspended);
    default:
        break;
    }
    const QList<qint64> processes = victims(fault);
    signalAll(processes, SIGKILL);
    return namesOf(processes);
}

void Nemesis::heal(const Lasting& lasting)
{
    const int host = lasting.fault.host;
    switch (lasting.fault.kind) {
    case FaultKind::FillDisk:
        m_lab.host(host).run({"rm", "-f", "/root/filler"});
        return;
    case FaultKind::JumpClock:
        setClock(host, 0);
        return;
    case FaultKind::SuspendWorker:
        signalAll(lasting.processes, SIGCONT);
        return;
    default:
        setLink(host, {});
    }
}

QString Nemesis::setLink(int host, const link::LinkConditions& conditions)
{
    const QString trouble = m_lab.host(host).setLink(conditions);
    return trouble.isEmpty() ? QString::fromStdString(toWords(conditions)) : QString();
}

/// The host's disk is memory of a fixed size: nothing outside the lab fills up.
QString Nemesis::fillDisk(int host)
{
    m_lab.host(host).run({"dd", "if=/dev/zero", "of=/root/filler", "bs=16k"});
    return m_lab.host(host).run({"df", "--output=avail", "/root"}).output.simplified();
}

/// Of what is started with shifted_clock in front of libc.
QString Nemesis::setClock(int host, int secondsAhead)
{
    const QByteArray ahead = QByteArray::number(secondsAhead);
    const bool done = m_lab.host(host).run({"tee", "/root/clock_ahead"}, ahead).ok();
    return done ? ahead + " s" : QString();
}

} // namespace trainyard::soak
