#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/result.h"
#include "engine/records/record.h"
#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

/// Where a run stands: what state.json holds. The journal has the history, this has the last word.
struct RunStatus {
    RunState state = RunState::Pending;
    std::string reason; ///< for Failed and Stopped: one sentence that names host and rank
    std::int64_t step = 0;
    std::int64_t steps = 0;
    std::uint32_t attempt = 0; ///< 0 = never launched
    int killed = 0;            ///< processes that had to be killed at the end of the attempt
};

/// Nothing when there is no state.json or it is not one.
std::optional<RunStatus> readStatus(const RunFolder& folder);

/// Replaces state.json in one instant. Durable = it survives a power cut, at the price of an fsync;
/// heartbeats do without, so that a slow disk never delays a sign of life.
enum class Durability { Durable, Volatile };
Status writeStatus(const RunFolder& folder, const RunStatus& status, Durability durability);

/// A file that takes room on the disk while a run is at work. Whoever has the last word gives it free first:
/// a disk that is full by then still takes the last records and state.json.
Status holdReserve(const RunFolder& folder);
void freeReserve(const RunFolder& folder);

/// Who supervises: written by the supervisor when it starts.
struct SupervisorIdentity {
    std::int64_t pid = 0;
    std::uint64_t startTime = 0;
    std::uint32_t attempt = 0;
    std::string host;
    std::string bootId;
};
std::optional<SupervisorIdentity> readSupervisor(const RunFolder& folder);
Status writeSupervisor(const RunFolder& folder, const SupervisorIdentity& identity);

} // namespace trainyard::agent
