#include "remote/agent/supervise/stall.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/records/flight_verdict.h"
#include "remote/agent/host/process_table.h"

namespace trainyard::agent {

namespace {

using Seconds = std::chrono::duration<double>;

constexpr int kMaxRings = 4096;
constexpr std::size_t kMaxNamed = 8;     ///< ranks listed one by one
constexpr Seconds kLookForSuspended{2};  ///< costs little and cannot be wrong
constexpr Seconds kOpenCollective{3};    ///< a rank that waits so long for another one is worth a word,
constexpr Seconds kLongCollective{30};   ///< or so long before the first step and while a checkpoint is saved
constexpr Seconds kLongWithoutStep{60};  ///< without a rank to blame
constexpr double kStepsWithoutStep = 10; ///< and all but the first only after so many times the last step

std::vector<FlightSnapshot> ringsOf(const RunFolder& folder, const RunWork& work, std::uint32_t attempt)
{
    std::vector<FlightSnapshot> rings;
    for (int rank = 0; rank < std::min(work.ranks, kMaxRings); ++rank) {
        auto ring = readFlightRing(folder.rankRing(rank));
        if (ring.ok() && ring->attempt == attempt)
            rings.push_back(std::move(ring).value());
    }
    return rings;
}

/// Finds a rank whose process was stopped by a signal: if it was stopped inside a collective, no ring shows
/// that it hangs.
std::string suspendedRank(const std::vector<FlightSnapshot>& rings)
{
    for (const FlightSnapshot& ring : rings) {
        if (isSuspended(ring.pid))
            return fmt::format("rank {} is suspended: its process {} was stopped by a signal", ring.rank,
                               ring.pid);
    }
    return {};
}

bool isSaving(const std::vector<FlightSnapshot>& rings)
{
    return std::any_of(rings.begin(), rings.end(),
                       [](const FlightSnapshot& ring) { return ring.activity == Activity::Checkpoint; });
}

std::string activities(const std::vector<FlightSnapshot>& rings)
{
    std::string text = "no step has finished for a long time";
    for (std::size_t i = 0; i < std::min(rings.size(), kMaxNamed); ++i)
        text += fmt::format("{} rank {} is in {} of step {}", i == 0 ? ":" : ",", rings[i].rank,
                            nameOf(rings[i].activity), rings[i].step);
    return text;
}

} // namespace

std::optional<Pulse> firstRanksPulse(const RunFolder& folder, std::uint32_t attempt)
{
    const auto ring = readFlightRing(folder.rankRing(0));
    if (!ring.ok() || ring->attempt != attempt)
        return std::nullopt;
    return Pulse{ring->step, ring->activity, ring->activitySinceNs};
}

std::string openCollective(const RunFolder& folder, const RunWork& work, std::uint32_t attempt)
{
    const auto verdict = judgeFlight(ringsOf(folder, work, attempt));
    return verdict ? verdict->text : std::string();
}

std::string stallText(const RunFolder& folder, const RunWork& work, std::uint32_t attempt, Seconds quiet,
                      Seconds lastStep)
{
    if (quiet < kLookForSuspended)
        return {};
    const auto rings = ringsOf(folder, work, attempt);
    if (const std::string suspended = suspendedRank(rings); !suspended.empty())
        return suspended;
    const bool mayTakeLong = lastStep.count() == 0 || isSaving(rings);
    if (quiet < std::max(mayTakeLong ? kLongCollective : kOpenCollective, kStepsWithoutStep * lastStep))
        return {};
    if (const auto verdict = judgeFlight(rings))
        return verdict->text;
    return quiet < kLongWithoutStep ? std::string() : activities(rings);
}

} // namespace trainyard::agent
