#pragma once

#include <memory>

#include <QList>
#include <QString>

#include "engine/spec/run_spec.h"
#include "remote/agent/runs/run_status.h"
#include "tests/auto/agent/agent_client.h"
#include "tests/support/lab/lab_pids.h"
#include "tests/support/lab/netns_lab.h"

/// One run over the first hosts of a lab, as many as the specification has nodes, one rank on each: an agent
/// on every host, mpirun on the first one, real ssh between them. At its end it is stopped on every host;
/// when the test has failed by then, it says what happened.
class SupervisedRun {
public:
    /// `programs`: folder of the build with the trainyard-worker to run.
    SupervisedRun(trainyard::lab::NetnsLab& lab, const trainyard::RunSpec& spec, const std::string& programs);
    ~SupervisedRun();

    /// The specification of a run with a rank on each host, for a worker that reads little of it.
    static trainyard::RunSpec plainSpec(const trainyard::lab::NetnsLab& lab,
                                        const trainyard::RestartSpec& restart);

    /// Its name, also that of its folder.
    static QString name();
    int hostCount() const { return m_hosts; }

    /// Makes the run on every host and starts it. Empty, or what went wrong. `changes`: fields of the
    /// request.
    QString launch(const nlohmann::json& changes = nlohmann::json::object());
    /// Starts one attempt of a run that was made: the next one goes on from the last checkpoint. As launch().
    QString start(std::uint32_t attempt, const nlohmann::json& changes = nlohmann::json::object());
    /// The agents of a host that was off are gone.
    void forgetAgent(int host) { m_agents[static_cast<std::size_t>(host)].reset(); }
    nlohmann::json callHead(nlohmann::json request);
    /// As callHead(), without waiting for the answer.
    void tellHead(nlohmann::json request);
    /// Ends the head's ssh to a host whose link is cut: mpirun hears of it at once, not by ten seconds of
    /// silence.
    void tellHeadOfLoss(int host) const;
    /// Ends it on every host: true when no process is left anywhere.
    bool stopEverywhere();

    trainyard::agent::RunFolder folder(int host = 0) const;
    trainyard::agent::RunStatus status() const;
    bool isRunning(std::uint32_t attempt) const;
    /// Messages of the events of one kind in a stream, over all attempts.
    QStringList events(const std::string& kind, const std::string& stream = "run") const;
    /// All that the stream "run" says, but for signs of life.
    QStringList history() const;
    /// Steps that the journal holds, of every attempt.
    std::size_t steps() const;

    /// Processes of the host whose program has this name: "mpirun", "orted", "trainyard-worker".
    QList<trainyard::lab::LabProcess> processes(int host, const QByteArray& name) const;
    /// The supervisor, as this machine counts.
    qint64 supervisor() const;
    /// Processes of the run on a host: those that carry its marker. Asked on the host itself.
    int processesLeft(int host) const;
    /// OpenMPI's files that are left on a host.
    QStringList filesLeft(int host) const;
    /// The same on all hosts.
    int processesLeft() const;
    QStringList filesLeft() const;

private:
    AgentClient& agent(int host);

    trainyard::lab::NetnsLab& m_lab;
    int m_hosts;
    std::string m_spec;
    std::string m_programs;
    std::vector<std::unique_ptr<AgentClient>> m_agents;
};
