#include "remote/agent/serve/active_runs.h"

#include <chrono>
#include <filesystem>

#include "remote/agent/host/process_table.h"
#include "remote/agent/runs/recovery.h"

namespace trainyard::agent {

namespace fs = std::filesystem;

namespace {

/// A launch that sends weights takes its time; one that was given up must not count as active for ever.
constexpr std::chrono::hours kStartsWithin{1};

bool isEmptyOrMissing(const fs::path& folder)
{
    std::error_code error;
    return fs::is_empty(folder, error) || error;
}

/// Created here, and neither launched nor attended yet.
bool isBeingStarted(const RunFolder& run)
{
    std::error_code error;
    const auto changed = fs::last_write_time(run.path(), error);
    return !error && fs::file_time_type::clock::now() - changed < kStartsWithin &&
           isEmptyOrMissing(run.attempts()) && isEmptyOrMissing(run.journal());
}

} // namespace

ActiveRuns::ActiveRuns() : m_running(environmentValues(RunFolder::kRunVariable)) {}

bool ActiveRuns::contains(const RunFolder& run) const
{
    return m_running.contains(run.run()) || isLive(run) || isBeingStarted(run);
}

} // namespace trainyard::agent
