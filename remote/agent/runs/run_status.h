#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/result.h"
#include "engine/records/record.h"
#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

/// The current state of a run, as state.json holds it; the journal has the history.
struct RunStatus {
    RunState state = RunState::Pending;
    std::string reason; ///< for Failed and Stopped: one sentence that names host and rank
    std::int64_t step = 0;
    std::int64_t steps = 0;
    std::uint32_t attempt = 0; ///< 0 = never launched
    int killed = 0;            ///< processes that had to be killed at the end of the attempt
};

/// Returns nullopt when state.json is missing or invalid.
std::optional<RunStatus> readStatus(const RunFolder& folder);

/// Replaces state.json atomically. Durable survives a power cut at the cost of an fsync; heartbeats do
/// without, so that a slow disk never delays them.
enum class Durability { Durable, Volatile };
Status writeStatus(const RunFolder& folder, const RunStatus& status, Durability durability);

/// A file that reserves disk space while a run is active. It is removed before the final records are written,
/// so that they and state.json fit even on a full disk.
Status holdReserve(const RunFolder& folder);
void freeReserve(const RunFolder& folder);

/// Identity of a supervisor, written when it starts.
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
