#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "engine/records/record.h"

namespace trainyard {

/// What one rank's device looks like.
struct RankSummary {
    RankStats latest;          ///< in the newest step
    SecondsByPhase usual{};    ///< exponential mean over some kUsualSteps newest steps
    RankStats peak;            ///< in the step in which it held most
    std::int64_t peakStep = 0; ///< which step that was

    bool operator==(const RankSummary&) const = default;
};

/// One late step moves RankSummary::usual little.
constexpr double kUsualSteps = 16;

/// How long each rank computed in the newest steps, oldest first, at most kComparedSteps of them: seconds by
/// rank.
using NewestCompute = std::deque<std::vector<float>>;
constexpr std::size_t kComparedSteps = 30;

/// The ranks of the newest attempt of a run with their memory by category and their step time by phase. An
/// earlier attempt may have had another layout: what its ranks held says nothing about these.
class RankTable {
public:
    RankTable() = default;
    /// As it was after that attempt's step.
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
