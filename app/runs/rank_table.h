#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "engine/records/record.h"

namespace trainyard {

/// Memory and step time of one rank.
struct RankSummary {
    RankStats latest;          ///< in the newest step that tells it
    SecondsByPhase usual{};    ///< exponential mean over about kUsualSteps newest steps that tell all ranks
    RankStats peak;            ///< in the step of peak memory
    std::int64_t peakStep = 0; ///< the step of `peak`

    bool operator==(const RankSummary&) const = default;
};

/// Large enough that one late step changes RankSummary::usual little.
constexpr double kUsualSteps = 16;

/// Compute seconds by rank of the newest steps that tell all ranks, oldest first, at most kComparedSteps.
using NewestCompute = std::deque<std::vector<float>>;
constexpr std::size_t kComparedSteps = 30;

/// Memory by category and step time by phase of the ranks of the newest attempt. Earlier attempts may have
/// had another layout, so their values are dropped.
class RankTable {
public:
    RankTable() = default;
    /// Restores the table as of that step of that attempt.
    RankTable(std::vector<RankSummary> ranks, NewestCompute compute, std::uint32_t attempt, std::int64_t step)
        : m_ranks(std::move(ranks)), m_compute(std::move(compute)), m_newest(attempt, step)
    {
    }

    void add(const StepRecord& record, std::uint32_t attempt);

    const std::vector<RankSummary>& ranks() const { return m_ranks; } ///< index = rank
    const NewestCompute& newestCompute() const { return m_compute; }
    std::uint32_t latestAttempt() const { return m_newest.first; }
    std::int64_t latestStep() const { return m_newest.second; }

private:
    std::vector<RankSummary> m_ranks;
    NewestCompute m_compute;
    std::pair<std::uint32_t, std::int64_t> m_newest{0, 0}; ///< attempt, step
};

} // namespace trainyard
