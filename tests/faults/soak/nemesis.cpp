#include "tests/faults/soak/nemesis.h"

#include <algorithm>
#include <csignal>

#include "engine/records/fence.h"
#include "remote/agent/runs/run_requests.h"
#include "tests/faults/soak/standstill.h"
#include "tests/support/lab/lab_pids.h"

namespace trainyard::soak {

namespace {

constexpr int kHourSeconds = 3600;
constexpr Moment kRequestMs = 500;

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

Injected entryOf(const PlannedFault& fault, std::string how)
{
    return {std::string(nameOf(fault.kind)), fault.host, fault.lastsMs, std::move(how)};
}

} // namespace

Nemesis::Nemesis(const Disturbed& disturbed, std::vector<PlannedFault> plan, HistoryFile& history)
    : m_lab(disturbed.lab)
    , m_run(disturbed.run)
    , m_desk(disturbed.desk)
    , m_witness(disturbed.witness)
    , m_history(history)
    , m_harm(m_run.folder().checkpoints())
    , m_plan(std::move(plan))
{
}

void Nemesis::act(Moment now)
{
    healWhatIsOver(now);
    takeFromPlan(now);
    if (m_strokes.empty() || !isAtWork())
        return;
    if (!hasPublishedAnew()) {
        askForCheckpoint(now);
        return;
    }
    const Stroke stroke = m_strokes.front();
    m_strokes.pop_front();
    strike(stroke, now);
}

void Nemesis::healWhatIsOver(Moment now)
{
    std::erase_if(m_lasting, [&](const Lasting& lasting) {
        if (lasting.until > now || !canBeHealed(lasting))
            return false;
        healAndTell(lasting, now);
        return true;
    });
}

void Nemesis::takeFromPlan(Moment now)
{
    for (; m_next < m_plan.size() && m_plan[m_next].atMs <= now; ++m_next) {
        const PlannedFault& fault = m_plan[m_next];
        if (isOfCheckpoints(fault.kind))
            m_strokes.push_back({fault, m_plan[++m_next]});
        else
            begin(fault, now);
    }
}

/// False when there was nothing to do it to.
bool Nemesis::begin(const PlannedFault& fault, Moment now)
{
    Lasting lasting{fault, now + fault.lastsMs, {}};
    const bool isPossible = !isOff(fault.host);
    const QString how = isPossible ? inject(fault, lasting.processes) : QString();
    m_history.add(now, entryOf(fault, how.toStdString()));
    m_injected += how.isEmpty() ? 0 : 1;
    if (fault.lastsMs > 0 && isPossible)
        m_lasting.push_back(std::move(lasting));
    return !how.isEmpty();
}

/// The run is, and nothing of its checkpoints or hosts is disturbed any more.
bool Nemesis::isAtWork() const
{
    const agent::RunStatus status = m_run.status();
    const bool isDisturbed = std::ranges::any_of(m_lasting, [](const Lasting& lasting) {
        return isOfCheckpoints(lasting.fault.kind) || lasting.fault.kind == FaultKind::LoseNode;
    });
    return !isDisturbed && status.state == RunState::Running && status.attempt != m_struckAttempt &&
           status.attempt == newestAttempt(m_run.folder().path()) && m_run.supervisor() > 0 &&
           !m_run.processes(0, "trainyard-worker").isEmpty();
}

/// It has gone on since the last stroke, and has two checkpoints to choose from.
bool Nemesis::hasPublishedAnew() const
{
    const auto whole = completeInLine(m_witness.folder());
    return whole.size() >= 2 && std::ranges::any_of(whole, [this](const std::string& name) {
               return std::ranges::find(m_completeAtStroke, name) == m_completeAtStroke.end();
           });
}

/// As a person may: on a slow machine the next one of the run's own is far away.
void Nemesis::askForCheckpoint(Moment now)
{
    if (now < m_nextRequest)
        return;
    m_nextRequest = now + kRequestMs;
    (void)agent::askForCheckpoint(m_run.folder()); // a full disk has no room for the request
}

/// All of it in one moment, as the run sees it. A rank that goes on behind the blow may still publish what it
/// was about to.
void Nemesis::strike(const Stroke& stroke, Moment now)
{
    const Standstill still(writers());
    m_witness.look(now);
    if (const std::string tidied = m_harm.tidyUp(m_witness.folder()); !tidied.empty()) {
        m_history.add(now, Injected{"folder tidied up", 0, 0, tidied});
        m_witness.look(now, Witness::Doing::OfNemesis);
    }
    const std::string how = m_harm.inflict(stroke.harm.kind, stroke.harm.variant, m_witness.folder());
    m_history.add(now, entryOf(stroke.harm, how));
    m_witness.look(now, Witness::Doing::OfNemesis);
    m_completeAtStroke = completeInLine(m_witness.folder());
    if (how.empty())
        return;
    ++m_injected;
    if (stroke.harm.lastsMs > 0)
        m_lasting.push_back({stroke.harm, now + stroke.harm.lastsMs, {}});
    m_struckAttempt = begin(stroke.blow, now) ? m_run.status().attempt : 0;
}

bool Nemesis::isOff(int host) const
{
    return m_lab.host(host).pid() == 0;
}

/// A disk or a link of a host that is off waits until it is on again.
bool Nemesis::canBeHealed(const Lasting& lasting) const
{
    return lasting.fault.kind == FaultKind::LoseNode || !isOff(lasting.fault.host);
}

/// Whoever changes the checkpoints: the supervisor, and the ranks on its host.
QList<qint64> Nemesis::writers() const
{
    QList<qint64> processes = pidsOf(m_run.processes(0, "trainyard-worker"));
    if (const qint64 supervisor = m_run.supervisor(); supervisor > 0)
        processes << supervisor;
    return processes;
}

void Nemesis::healAll(Moment now)
{
    m_next = m_plan.size();
    m_strokes.clear();
    // Hosts first: only one that is on can be healed.
    std::ranges::stable_partition(m_lasting,
                                  [](const Lasting& one) { return one.fault.kind == FaultKind::LoseNode; });
    for (const Lasting& lasting : m_lasting)
        healAndTell(lasting, now);
    m_lasting.clear();
}

void Nemesis::healAndTell(const Lasting& lasting, Moment now)
{
    heal(lasting, now);
    m_history.add(now, Healed{std::string(nameOf(lasting.fault.kind)), lasting.fault.host});
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
    case FaultKind::LoseNode:
        return switchOff(fault.host);
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

void Nemesis::heal(const Lasting& lasting, Moment now)
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
    case FaultKind::LoseNode:
        switchOn(host);
        return;
    default:
        break;
    }
    if (isOfCheckpoints(lasting.fault.kind))
        showCheckpoints(lasting.fault.kind, now);
    else
        setLink(host, {});
}

void Nemesis::showCheckpoints(FaultKind kind, Moment now)
{
    const Standstill still(writers());
    m_witness.look(now);
    m_harm.undo(kind);
    m_witness.look(now, Witness::Doing::OfNemesis);
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

QString Nemesis::switchOff(int host)
{
    m_lab.host(host).powerOff();
    m_run.forgetAgent(host);
    return "no power";
}

void Nemesis::switchOn(int host)
{
    if (const QString trouble = m_lab.host(host).powerOn(); !trouble.isEmpty())
        qWarning("%s", qPrintable(trouble));
}

/// Of what is started with shifted_clock in front of libc.
QString Nemesis::setClock(int host, int secondsAhead)
{
    const QByteArray ahead = QByteArray::number(secondsAhead);
    const bool done = m_lab.host(host).run({"tee", "/root/clock_ahead"}, ahead).ok();
    return done ? ahead + " s" : QString();
}

} // namespace trainyard::soak
