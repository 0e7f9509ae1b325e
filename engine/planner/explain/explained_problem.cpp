#include "engine/planner/explain/explained_problem.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "engine/planner/explain/setting_moves.h"
#include "engine/spec/phases/phase_edits.h"
#include "engine/spec/phases/phase_rules.h"

namespace trainyard {

namespace {

constexpr int kReach = 1024;       ///< values of a number that are tried in each direction
constexpr int kReachTogether = 16; ///< the same of two moves together
constexpr int kMaxTogether = 4096; ///< pairs that are tried
constexpr std::size_t kMaxRemedies = 8;

bool isAt(const Diagnostics& problems, const std::string& path)
{
    return std::ranges::any_of(problems, [&](const Diagnostic& each) { return each.path == path; });
}

bool isPartOf(const std::vector<FieldChange>& part, const std::vector<FieldChange>& whole)
{
    return std::ranges::all_of(
        part, [&](const FieldChange& change) { return std::ranges::find(whole, change) != whole.end(); });
}

using Accept = std::function<bool(const RunSpec&)>;

/// Until when remedies are looked for.
class Deadline {
public:
    explicit Deadline(std::chrono::milliseconds patience) : m_end(Clock::now() + patience) {}
    bool isOver() const { return Clock::now() >= m_end; }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point m_end;
};

/// A move in one direction.
class OneWay {
public:
    OneWay(const NumberMove& number, int direction) : m_number(&number), m_direction(direction) {}
    explicit OneWay(SwitchMove change) : m_switch(change) {}

    /// The nearest specification that this makes of `spec` and `accept` takes, within so many values and
    /// before the deadline.
    std::optional<RunSpec> nearest(const RunSpec& spec, int reach, const Deadline& deadline,
                                   const Accept& accept) const;

private:
    std::optional<RunSpec> nearestNumber(const RunSpec& spec, int reach, const Deadline& deadline,
                                         const Accept& accept) const;

    const NumberMove* m_number = nullptr;
    int m_direction = 0;
    SwitchMove m_switch = nullptr;
};

std::optional<RunSpec> OneWay::nearest(const RunSpec& spec, int reach, const Deadline& deadline,
                                       const Accept& accept) const
{
    if (m_number)
        return nearestNumber(spec, reach, deadline, accept);
    if (deadline.isOver())
        return std::nullopt;
    RunSpec changed = spec;
    m_switch(changed);
    return accept(changed) ? std::optional(std::move(changed)) : std::nullopt;
}

std::optional<RunSpec> OneWay::nearestNumber(const RunSpec& spec, int reach, const Deadline& deadline,
                                             const Accept& accept) const
{
    const int from = std::clamp(m_number->get(spec), m_number->least - 1, m_number->most + 1);
    for (int distance = 1; distance <= reach && !deadline.isOver(); ++distance) {
        const int value = from + m_direction * distance;
        if (value < m_number->least || value > m_number->most)
            return std::nullopt;
        RunSpec changed = spec;
        m_number->set(changed, value);
        if (accept(changed))
            return changed;
    }
    return std::nullopt;
}

using Ways = std::vector<OneWay>;

Ways waysOf(const std::vector<SettingMove>& moves)
{
    Ways ways;
    for (const SettingMove& move : moves) {
        const auto* number = std::get_if<NumberMove>(&move);
        if (!number)
            ways.emplace_back(std::get<SwitchMove>(move));
        if (number && number->turn != Turn::Up)
            ways.emplace_back(*number, -1);
        if (number && number->turn != Turn::Down)
            ways.emplace_back(*number, 1);
    }
    return ways;
}

/// Looks for the ways out of one problem.
class RemedySearch {
public:
    RemedySearch(const RunSpec& spec, const Diagnostics& before, const std::string& path,
                 const FindProblems& find, const Deadline& deadline)
        : m_spec(spec), m_before(before), m_path(path), m_find(find), m_deadline(deadline)
    {
    }

    std::vector<Remedy> run();

private:
    bool solves(const RunSpec& changed) const;
    bool setsOneOf(const Diagnostics& problems, const RunSpec& changed) const;
    void keep(RunSpec changed);
    void tryAlone(const Ways& ways);
    void tryTogether(const OneWay& first, std::span<const OneWay> others);
    void tryPairs(const Ways& ways);
    void tryLastResorts(const Ways& resorts, const Ways& ways);

    const RunSpec& m_spec;
    const Diagnostics& m_before;
    const std::string& m_path;
    const FindProblems& m_find;
    const Deadline& m_deadline;
    std::vector<Remedy> m_remedies;
    int m_left = 0; ///< pairs that may still be tried
};

bool RemedySearch::solves(const RunSpec& changed) const
{
    if (!dividesEvenly(m_spec, changed))
        return false;
    const Diagnostics left = m_find(changed);
    const bool othersOnly = std::ranges::all_of(left, [this](const Diagnostic& problem) {
        return problem.path != m_path && isAt(m_before, problem.path);
    });
    return othersOnly && !setsOneOf(left, changed);
}

/// A field that was wrong before and is wrong still is left alone, not set to another wrong value.
bool RemedySearch::setsOneOf(const Diagnostics& problems, const RunSpec& changed) const
{
    return !problems.empty() &&
           std::ranges::any_of(changesBetween(m_spec, changed),
                               [&](const FieldChange& change) { return isAt(problems, change.path); });
}

void RemedySearch::keep(RunSpec changed)
{
    auto changes = changesBetween(m_spec, changed);
    const bool lessIsEnough = std::ranges::any_of(
        m_remedies, [&](const Remedy& remedy) { return isPartOf(remedy.changes, changes); });
    if (!lessIsEnough && m_remedies.size() < kMaxRemedies)
        m_remedies.push_back({std::move(changed), std::move(changes), std::nullopt});
}

void RemedySearch::tryAlone(const Ways& ways)
{
    for (const OneWay& way : ways) {
        if (auto changed =
                way.nearest(m_spec, kReach, m_deadline, [this](const RunSpec& spec) { return solves(spec); }))
            keep(std::move(*changed));
    }
}

void RemedySearch::tryTogether(const OneWay& first, std::span<const OneWay> others)
{
    const Accept accept = [this](const RunSpec& spec) { return m_left-- > 0 && solves(spec); };
    for (const OneWay& second : others) {
        first.nearest(m_spec, kReachTogether, m_deadline, [&](const RunSpec& half) {
            auto whole = m_left > 0 ? second.nearest(half, kReachTogether, m_deadline, accept) : std::nullopt;
            if (whole)
                keep(std::move(*whole));
            return whole.has_value();
        });
    }
}

void RemedySearch::tryPairs(const Ways& ways)
{
    m_left = kMaxTogether;
    for (std::size_t i = 0; i < ways.size(); ++i)
        tryTogether(ways[i], std::span(ways).subspan(i + 1));
}

void RemedySearch::tryLastResorts(const Ways& resorts, const Ways& ways)
{
    tryAlone(resorts);
    m_left = kMaxTogether;
    for (std::size_t i = 0; i < resorts.size() && m_remedies.empty(); ++i)
        tryTogether(resorts[i], ways);
}

std::vector<Remedy> RemedySearch::run()
{
    const Ways ways = waysOf(movesFor(m_path).moves);
    tryAlone(ways);
    if (m_remedies.empty())
        tryPairs(ways);
    if (m_remedies.empty())
        tryLastResorts(waysOf(movesFor(m_path).lastResorts), ways);
    return std::move(m_remedies);
}

} // namespace

std::string Remedy::text() const
{
    const std::string settings = textOf(changes);
    if (!need)
        return settings;
    return need->onHost == 0 ? fmt::format("{} ({})", settings, formatBytes(need->onDevice))
                             : fmt::format("{} ({} and {} on the host)", settings,
                                           formatBytes(need->onDevice), formatBytes(need->onHost));
}

Error ExplainedProblem::error() const
{
    Error error = problem.error();
    if (!problem.equation.empty())
        error.message += fmt::format(" ({})", problem.equation);
    std::string nearest;
    for (const Remedy& remedy : remedies)
        nearest += (nearest.empty() ? "closest valid settings: " : " | ") + remedy.text();
    if (!nearest.empty())
        error.hint = nearest;
    return error;
}

std::vector<ExplainedProblem> explain(const RunSpec& spec, const Diagnostics& problems,
                                      const FindProblems& find, std::chrono::milliseconds patience)
{
    const Deadline deadline(patience);
    const Diagnostics found = find(spec);
    std::vector<ExplainedProblem> explanations;
    for (const Diagnostic& problem : problems) {
        const bool known = std::ranges::find(found, problem) != found.end();
        explanations.push_back({problem, {}});
        if (known)
            explanations.back().remedies = RemedySearch(spec, found, problem.path, find, deadline).run();
    }
    return explanations;
}

ExplainedProblem inPhase(const RunSpec& run, int phase, ExplainedProblem explained)
{
    explained.problem = inPhase(run, phase, std::move(explained.problem));
    for (Remedy& remedy : explained.remedies) {
        RunSpec whole = run;
        applyInPhase(whole, phase, remedy.spec);
        remedy.spec = std::move(whole);
        for (FieldChange& change : remedy.changes)
            change.path = pathInPhase(run, phase, change.path);
    }
    return explained;
}

} // namespace trainyard
