#pragma once

#include <QTemporaryDir>
#include <QTest>

#include <functional>
#include <thread>

#include <unistd.h>

#include "engine/records/journal.h"
#include "engine/spec/spec_json.h"
#include "remote/agent/runs/recovery.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/runs/run_status.h"
#include "remote/agent/runs/sweep.h"
#include "tests/auto/agent/agent_client.h"

/// An agent root in a temporary folder with one run, whose worker is the fake one. At its end every process
/// of the run is gone, whatever the test did.
class RunFixture {
public:
    /// A failed run stays failed unless `restart` says otherwise.
    explicit RunFixture(int steps = 1'000'000, int ranks = 1,
                        const trainyard::RestartSpec& restart = {.limit = 0})
    {
        trainyard::RunSpec spec;
        spec.dataset.path = "/data";
        spec.launch.steps = steps;
        spec.launch.restart = restart;
        spec.layout.data = ranks;
        spec.cluster.nodes = {trainyard::NodeSpec{"localhost", ranks, 0}};
        spec.batch = {8 * ranks, 8, 1};
        m_spec = trainyard::toJson(spec);
    }
    ~RunFixture()
    {
        trainyard::agent::sweepRun(folder().marker(), 0, std::chrono::milliseconds(0));
        waitUntil(
            [this] { return !trainyard::agent::isSupervised(folder()); }); // it still writes into the folder
    }

    std::filesystem::path root() const { return std::filesystem::canonical(m_folder.path().toStdString()); }
    /// Of this process alone: the processes of a run are found by its name, whoever started them.
    static std::string name() { return "r" + std::to_string(::getpid()); }
    trainyard::agent::RunFolder folder() const { return {root(), name()}; }

    nlohmann::json createRequest() const
    {
        return {{"op", "create-run"},          {"run", name()}, {"kind", "train"}, {"spec", m_spec},
                {"inventory", {{"hosts", 1}}}, {"node", 0}};
    }
    nlohmann::json launchRequest(const std::string& behaviour, int attempt = 1, int ranksThere = 1) const
    {
        nlohmann::json request;
        request["op"] = "launch";
        request["run"] = name();
        request["attempt"] = attempt;
        request["programs"] = TRAINYARD_FAKE_PROGRAMS;
        request["nodes"][0]["host"] = "localhost";
        request["nodes"][0]["slots"] = ranksThere;
        request["environment"]["TRAINYARD_FAKE"] = behaviour;
        return request;
    }

    /// The run's state once it is final.
    trainyard::agent::RunStatus waitForEnd(std::chrono::milliseconds patience = AgentClient::kPatience) const
    {
        waitUntil([this] { return isFinal(status().state); }, patience);
        return status();
    }
    bool waitUntil(const std::function<bool()>& condition,
                   std::chrono::milliseconds patience = AgentClient::kPatience) const
    {
        const auto deadline = std::chrono::steady_clock::now() + patience;
        while (!condition()) {
            if (std::chrono::steady_clock::now() > deadline)
                return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        return true;
    }
    trainyard::agent::RunStatus status() const
    {
        return trainyard::agent::readStatus(folder()).value_or(trainyard::agent::RunStatus{});
    }
    std::size_t liveProcesses() const
    {
        return trainyard::agent::processesWithEnvironment(folder().marker()).size();
    }

    /// The states of the stream "run" in order, without heartbeats: "starting running finished".
    std::string history() const
    {
        std::string text;
        for (const auto& record : trainyard::readJournal(folder().journal() / "run").value().records) {
            const auto* state = std::get_if<trainyard::StateRecord>(&record.payload);
            if (state && !state->heartbeat)
                text += (text.empty() ? "" : " ") + std::string(nameOf(state->state));
        }
        return text;
    }
    std::size_t heartbeats() const
    {
        std::size_t count = 0;
        for (const auto& record : trainyard::readJournal(folder().journal() / "run").value().records) {
            const auto* state = std::get_if<trainyard::StateRecord>(&record.payload);
            count += state && state->heartbeat ? 1 : 0;
        }
        return count;
    }
    /// Messages of the events of one kind.
    std::vector<std::string> events(const std::string& kind) const
    {
        std::vector<std::string> messages;
        for (const auto& record : trainyard::readJournal(folder().journal() / "run").value().records) {
            const auto* event = std::get_if<trainyard::EventRecord>(&record.payload);
            if (event && event->kind == kind)
                messages.push_back(event->message);
        }
        return messages;
    }

private:
    QTemporaryDir m_folder;
    std::string m_spec;
};
