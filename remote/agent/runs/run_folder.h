#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace trainyard::agent {

/// One path component of letters, digits, '.', '_' and '-' that does not start with '.' or '-', at most 128
/// characters: names of runs and streams, safe in paths, hostfiles and environments.
bool isSafeName(std::string_view name);

/// The names of things in a run's directory.
class RunFolder {
public:
    RunFolder(const std::filesystem::path& agentRoot, const std::string& run)
        : RunFolder(agentRoot / "runs" / run)
    {
    }
    explicit RunFolder(std::filesystem::path path) : m_path(std::move(path)) {}

    const std::filesystem::path& path() const { return m_path; }
    std::string run() const { return m_path.filename().string(); }
    /// The agent root that this run belongs to.
    std::filesystem::path agentRoot() const { return m_path.parent_path().parent_path(); }
    bool exists() const;

    std::filesystem::path spec() const { return m_path / "spec.json"; }
    std::filesystem::path job() const { return m_path / "job.json"; }
    std::filesystem::path inventory() const { return m_path / "inventory.json"; }
    std::filesystem::path state() const { return m_path / "state.json"; }
    std::filesystem::path journal() const { return m_path / "journal"; }
    std::filesystem::path control() const { return m_path / "control"; }
    std::filesystem::path ranks() const { return m_path / "ranks"; }
    std::filesystem::path rankLog(int rank) const;
    std::filesystem::path rankRing(int rank) const;

    std::filesystem::path attempts() const { return m_path / "attempts"; }
    /// What was asked of one attempt: hosts, slots, programs.
    std::filesystem::path launchFile(std::uint32_t attempt) const;
    /// What the job printed, beside the ranks' own logs: mpirun's messages.
    std::filesystem::path jobLog(std::uint32_t attempt) const;

    std::filesystem::path supervisorLog() const { return m_path / "supervisor.log"; }
    /// Held by the supervisor as long as it lives.
    std::filesystem::path supervisorLock() const { return m_path / "supervisor.lock"; }
    /// Who the supervisor of the last attempt is.
    std::filesystem::path supervisorFile() const { return m_path / "supervisor.json"; }
    std::filesystem::path samplerLock(int node) const;
    std::filesystem::path samplerLog(int node) const;

    /// Asks the workers to finish the step, publish a checkpoint and end.
    std::filesystem::path stopRequest() const { return control() / "stop"; }
    /// Asks the workers to publish a checkpoint after the step and to go on.
    std::filesystem::path checkpointRequest() const { return control() / "checkpoint"; }
    /// Asks the supervisor to end the job without waiting for the workers.
    std::filesystem::path abortRequest() const { return control() / "abort"; }

    /// The environment entry that every process of the run carries: how they are found again.
    std::string marker() const { return "TRAINYARD_RUN=" + run(); }

private:
    std::filesystem::path m_path;
};

} // namespace trainyard::agent
