#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace trainyard::agent {

/// One path component of letters, digits, '.', '_' and '-' that does not start with '.' or '-', at most 128
/// characters: names of runs and streams, safe in paths, hostfiles and environments.
bool isSafeName(std::string_view name);

/// The paths inside a run's directory.
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
    std::filesystem::path probe() const { return m_path / "probe.json"; }
    std::filesystem::path inventory() const { return m_path / "inventory.json"; }
    std::filesystem::path state() const { return m_path / "state.json"; }
    std::filesystem::path journal() const { return m_path / "journal"; }
    std::filesystem::path control() const { return m_path / "control"; }
    std::filesystem::path ranks() const { return m_path / "ranks"; }
    std::filesystem::path rankLog(int rank) const;
    std::filesystem::path rankRing(int rank) const;

    std::filesystem::path attempts() const { return m_path / "attempts"; }
    /// The request of one attempt: hosts, slots, programs.
    std::filesystem::path launchFile(std::uint32_t attempt) const;
    std::filesystem::path checkpoints() const { return m_path / "checkpoints"; }
    /// Returns the step named by `latest`, to detect a new checkpoint; 0 when there is none. chooseStart()
    /// decides which checkpoint a start loads.
    std::int64_t publishedCheckpoint() const;
    /// Output of the job next to the ranks' own logs: mpirun's messages.
    std::filesystem::path jobLog(std::uint32_t attempt) const;

    /// Held while an attempt is being started, so that two requests do not start it twice.
    std::filesystem::path launchLock() const { return m_path / "launch.lock"; }
    /// Reserved disk space for the final records; see run_status.h.
    std::filesystem::path reserve() const { return m_path / "reserve"; }

    std::filesystem::path supervisorLog() const { return m_path / "supervisor.log"; }
    /// Held by the supervisor as long as it lives.
    std::filesystem::path supervisorLock() const { return m_path / "supervisor.lock"; }
    /// Identifies the supervisor of the last attempt.
    std::filesystem::path supervisorFile() const { return m_path / "supervisor.json"; }
    /// The batch job of a run that Slurm starts; only such a run has one.
    std::filesystem::path slurmJob() const { return m_path / "slurm.json"; }
    /// Output of the batch job next to the ranks' logs; `attempt` is the job's first one.
    std::filesystem::path batchLog(std::uint32_t attempt) const;
    /// Held by whoever watches the batch job, as long as it is there.
    std::filesystem::path queueLock() const { return m_path / "queue.lock"; }
    std::filesystem::path queueLog() const { return m_path / "queue.log"; }
    std::filesystem::path samplerLock(int node) const;
    std::filesystem::path samplerLog(int node) const;

    /// Asks the workers to finish the step, publish a checkpoint and end.
    std::filesystem::path stopRequest() const { return control() / "stop"; }
    /// Asks the workers to publish a checkpoint after the step and to go on.
    std::filesystem::path checkpointRequest() const { return control() / "checkpoint"; }
    /// Asks the supervisor to end the job without waiting for the workers.
    std::filesystem::path abortRequest() const { return control() / "abort"; }

    /// Marks by which hosts find out whether they share the folder of checkpoints (store/marks.h).
    std::filesystem::path marks() const { return m_path / "checkpoints" / ".marks"; }

    /// The environment entry by which every process of the run is found again.
    std::string marker() const { return markerOf(run()); }
    static std::string markerOf(const std::string& run) { return std::string(kRunVariable) + '=' + run; }
    /// A second entry: the attempt to which the process belongs.
    static std::string attemptMarker(std::uint32_t attempt)
    {
        return std::string(kAttemptVariable) + '=' + std::to_string(attempt);
    }
    static constexpr const char* kRunVariable = "TRAINYARD_RUN";
    static constexpr const char* kAttemptVariable = "TRAINYARD_ATTEMPT";
    /// The devices that the attempt has taken on this node, by uuid (usage/device_claim.h).
    static constexpr const char* kDevicesVariable = "TRAINYARD_DEVICES";
    /// Passes OpenMPI's folder (mpi_sessions.h) to a node's guard.
    static constexpr const char* kSessionVariable = "TRAINYARD_SESSION";

private:
    std::filesystem::path m_path;
};

} // namespace trainyard::agent
