#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "engine/base/lock_file.h"
#include "engine/base/result.h"
#include "engine/base/wall_clock_watch.h"
#include "engine/records/buffered_journal_writer.h"
#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

struct SamplerOptions {
    int node = 0;
    std::uint32_t attempt = 1;
    std::chrono::milliseconds interval{1000};
};

/// Writes samples of this node's devices to the stream node-<n> while a run is active here. One per run and
/// node.
class Sampler {
public:
    /// Returns nullopt when another sampler serves this run and node already. Waits a few seconds for a
    /// sampler of an earlier attempt, which is about to end.
    static Result<std::unique_ptr<Sampler>> start(const RunFolder& folder, const SamplerOptions& options);

    /// Returns when the run's attempt has a final state, or when its processes on this node have been gone
    /// for a while (other nodes than the head have no state), or never came.
    void run();

private:
    Sampler(RunFolder folder, const SamplerOptions& options, LockFile lock, BufferedJournalWriter journal);

    bool isOver();
    void watchDisk(Bytes free);
    void watchClock();
    void write(const DeviceSample& sample);

    RunFolder m_folder;
    SamplerOptions m_options;
    LockFile m_lock;
    BufferedJournalWriter m_journal;
    std::chrono::steady_clock::time_point m_lastSeen; ///< processes of the run on this node
    std::chrono::steady_clock::time_point m_nextLook;
    bool m_everSeen = false;
    WallClockWatch m_clock;
    bool m_diskIsLow = false;
    std::uint64_t m_round = 0; ///< of samples, while the disk is low
};

} // namespace trainyard::agent
