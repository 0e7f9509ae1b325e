#include "tests/faults/supervised_run.h"

#include <QTest>
#include <csignal>
#include <unistd.h>

#include "engine/records/journal.h"
#include "engine/spec/spec_json.h"

using namespace trainyard;
using namespace trainyard::agent;
using nlohmann::json;

namespace {

const std::filesystem::path kRoot = "/root/.trainyard";
/// No test beside this one may have the same: this machine sees the processes of every lab.
const std::string kRun = "faults-" + std::to_string(::getpid());

std::vector<std::string> enter(const lab::LabHost& host)
{
    const std::string pid = std::to_string(host.pid());
    return {"env",
            "-i",
            "HOME=/root",
            "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "nsenter",
            "--target",
            pid,
            "--all",
            "--wd=/proc/" + pid + "/root/root"};
}

} // namespace

SupervisedRun::SupervisedRun(lab::NetnsLab& lab, const RunSpec& spec, const std::string& programs)
    : m_lab(lab)
    , m_hosts(static_cast<int>(spec.cluster.nodes.size()))
    , m_spec(toJson(spec))
    , m_programs(lab::seenInHosts(QString::fromStdString(programs)).toStdString())
    , m_agents(spec.cluster.nodes.size())
{
}

SupervisedRun::~SupervisedRun()
{
    if (QTest::currentTestFailed())
        qInfo("%s", qPrintable(history().join('\n')));
    stopEverywhere();
    for (int host = 0; host < m_hosts; ++host)
        agent(host).call({{"op", "remove-run"}, {"run", kRun}});
}

RunSpec SupervisedRun::plainSpec(const lab::NetnsLab& lab, const RestartSpec& restart)
{
    RunSpec spec;
    spec.dataset.path = "/data";
    spec.launch.steps = 1'000'000;
    spec.launch.restart = restart;
    spec.layout.data = lab.hostCount();
    spec.cluster.nodes.assign(static_cast<std::size_t>(lab.hostCount()), NodeSpec{"localhost", 1, 0});
    for (int host = 0; host < lab.hostCount(); ++host)
        spec.cluster.nodes[static_cast<std::size_t>(host)].host = "node" + std::to_string(host + 1);
    spec.batch = {8 * lab.hostCount(), 8, 1};
    return spec;
}

AgentClient& SupervisedRun::agent(int host)
{
    auto& client = m_agents[static_cast<std::size_t>(host)];
    if (!client)
        client = std::make_unique<AgentClient>(kRoot, std::vector<std::string>{"--local"},
                                               AgentClient::Greeting::Send, enter(m_lab.host(host)),
                                               lab::seenInHosts(TRAINYARD_AGENT).toStdString());
    return *client;
}

QString SupervisedRun::name()
{
    return QString::fromStdString(kRun);
}

QString SupervisedRun::launch(const json& changes)
{
    json inventory{{"hosts", json::array()}}; // by it a desk finds the other hosts
    for (int host = 0; host < m_hosts; ++host)
        inventory["hosts"].push_back({{"node", host}, {"host", m_lab.host(host).address().toStdString()}});
    for (int host = 0; host < m_hosts; ++host) {
        const json reply = agent(host).call({{"op", "create-run"},
                                             {"run", kRun},
                                             {"kind", "train"},
                                             {"spec", m_spec},
                                             {"inventory", inventory},
                                             {"node", host}});
        if (!reply.value("created", false))
            return QString::fromStdString(reply.dump());
    }
    return start(1, changes);
}

QString SupervisedRun::start(std::uint32_t attempt, const json& changes)
{
    json nodes = json::array();
    for (int host = 0; host < m_hosts; ++host)
        nodes.push_back({{"host", m_lab.host(host).address().toStdString()}, {"slots", 1}});
    const std::string address = nodes[0]["host"];
    json request{{"op", "launch"},
                 {"run", kRun},
                 {"attempt", attempt},
                 {"programs", m_programs},
                 {"nodes", nodes},
                 {"interface", address.substr(0, address.rfind('.')) + ".0/24"},
                 {"rsh", "ssh -o BatchMode=yes -o StrictHostKeyChecking=yes -o ConnectTimeout=2"},
                 // The hosts are one machine: ranks that wait leave its cores to the others.
                 {"environment", {{"OMPI_MCA_mpi_yield_when_idle", "1"}}}};
    request.update(changes);
    const json reply = callHead(request);
    return reply.value("started", false) ? QString() : QString::fromStdString(reply.dump());
}

/// The request with the name of the run.
json SupervisedRun::callHead(json request)
{
    request["run"] = kRun;
    return agent(0).call(request);
}

void SupervisedRun::tellHead(json request)
{
    request["run"] = kRun;
    agent(0).send(request);
}

void SupervisedRun::tellHeadOfLoss(int host) const
{
    const QByteArray address = ' ' + m_lab.host(host).address().toUtf8() + ' '; // orted's lists have commas
    int ended = 0;
    for (const lab::LabProcess& ssh : processes(0, "ssh")) {
        if (ssh.pid > 1 && ssh.commandLine.contains(address))
            ended += ::kill(static_cast<pid_t>(ssh.pid), SIGKILL) == 0 ? 1 : 0;
    }
    QCOMPARE(ended, 1);
}

bool SupervisedRun::stopEverywhere()
{
    bool clean = true;
    for (int host = 0; host < m_hosts; ++host) {
        const json reply =
            agent(host).call({{"op", "stop"}, {"run", kRun}, {"grace_ms", host == 0 ? 5000 : 0}});
        clean = clean && reply.value("clean", false);
    }
    return clean;
}

RunFolder SupervisedRun::folder(int host) const
{
    return RunFolder(m_lab.host(host).path(QString::fromStdString(kRoot)).toStdString(), kRun);
}

RunStatus SupervisedRun::status() const
{
    return readStatus(folder()).value_or(RunStatus{});
}

bool SupervisedRun::isRunning(std::uint32_t attempt) const
{
    const RunStatus now = status();
    return now.attempt == attempt && now.state == RunState::Running;
}

QStringList SupervisedRun::events(const std::string& kind, const std::string& stream) const
{
    QStringList messages;
    const auto journal = readJournal(folder().journal() / stream);
    for (const Record& record : journal.ok() ? journal->records : std::vector<Record>{}) {
        const auto* event = std::get_if<EventRecord>(&record.payload);
        if (event && event->kind == kind)
            messages << QString::fromStdString(event->message);
    }
    return messages;
}

QStringList SupervisedRun::history() const
{
    QStringList lines;
    const auto journal = readJournal(folder().journal() / "run");
    for (const Record& record : journal.ok() ? journal->records : std::vector<Record>{}) {
        const auto* event = std::get_if<EventRecord>(&record.payload);
        const auto* state = std::get_if<StateRecord>(&record.payload);
        if (event)
            lines << QString::fromStdString(event->kind + ": " + event->message);
        else if (state && !state->heartbeat)
            lines << QString::fromStdString(std::string(nameOf(state->state)) + ' ' + state->reason);
    }
    return lines;
}

std::size_t SupervisedRun::steps() const
{
    const auto journal = readJournal(folder().journal() / "steps");
    return journal.ok() ? journal->records.size() : 0;
}

QList<lab::LabProcess> SupervisedRun::processes(int host, const QByteArray& name) const
{
    QList<lab::LabProcess> found;
    for (const lab::LabProcess& process : lab::processTree(m_lab.host(host).pid())) {
        const QByteArray program = process.commandLine.left(process.commandLine.indexOf(' '));
        if (program == name || program.endsWith('/' + name))
            found << process;
    }
    return found;
}

qint64 SupervisedRun::supervisor() const
{
    for (const lab::LabProcess& process : processes(0, "trainyard-agent")) {
        if (process.commandLine.contains(" supervise "))
            return process.pid;
    }
    return 0;
}

int SupervisedRun::processesLeft(int host) const
{
    return m_lab.host(host)
        .run({"sh", "-c", "grep -lzx TRAINYARD_RUN=" + name() + " /proc/[0-9]*/environ 2>/dev/null | wc -l"})
        .output.trimmed()
        .toInt();
}

QStringList SupervisedRun::filesLeft(int host) const
{
    QStringList left;
    for (const QString& place : {QString("/dev/shm"), QString("/tmp")}) {
        for (const QString& file : m_lab.host(host).filesIn(place))
            left << m_lab.host(host).name() + ':' + place + '/' + file;
    }
    return left;
}

int SupervisedRun::processesLeft() const
{
    int left = 0;
    for (int host = 0; host < m_hosts; ++host)
        left += processesLeft(host);
    return left;
}

QStringList SupervisedRun::filesLeft() const
{
    QStringList left;
    for (int host = 0; host < m_hosts; ++host)
        left += filesLeft(host);
    return left;
}
