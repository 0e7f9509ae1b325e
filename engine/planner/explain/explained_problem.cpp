#include "engine/planner/explain/explained_problem.h"

#include <algorithm>
#include <optional>

#include "engine/planner/explain/setting_moves.h"

namespace trainyard {

namespace {

constexpr int kReach = 1024; ///< values that are tried in each direction
constexpr std::size_t kMostRemedies = 8;

bool isAt(const Diagnostics& problems, const std::string& path)
{
    return std::ranges::any_of(problems, [&](const Diagnostic& each) { return each.path == path; });
}

bool isPartOf(const std::vector<FieldChange>& part, const std::vector<FieldChange>& whole)
{
    return std::ranges::all_of(
        part, [&](const FieldChange& change) { return std::ranges::find(whole, change) != whole.end(); });
}

/// Looks for the ways out of one problem.
class RemedySearch {
public:
    RemedySearch(const RunSpec& spec, const Diagnostics& before, const std::string& path,
                 const FindProblems& find)
        : m_spec(spec), m_before(before), m_path(path), m_find(find)
    {
    }

    std::vector<Remedy> run();

private:
    bool solves(const RunSpec& changed) const;
    void keep(RunSpec changed);
    std::optional<RunSpec> nearest(const NumberMove& move, int direction) const;

    const RunSpec& m_spec;
    const Diagnostics& m_before;
    const std::string& m_path;
    const FindProblems& m_find;
    std::vector<Remedy> m_remedies;
};

bool RemedySearch::solves(const RunSpec& changed) const
{
    return std::ranges::all_of(m_find(changed), [this](const Diagnostic& left) {
        return left.path != m_path && isAt(m_before, left.path);
    });
}

void RemedySearch::keep(RunSpec changed)
{
    auto changes = changesBetween(m_spec, changed);
    const bool lessIsEnough = std::ranges::any_of(
        m_remedies, [&](const Remedy& remedy) { return isPartOf(remedy.changes, changes); });
    if (!lessIsEnough && m_remedies.size() < kMostRemedies)
        m_remedies.push_back({std::move(changed), std::move(changes)});
}

std::optional<RunSpec> RemedySearch::nearest(const NumberMove& move, int direction) const
{
    const int from = std::clamp(move.get(m_spec), move.least - 1, move.most + 1);
    for (int distance = 1; distance <= kReach; ++distance) {
        const int value = from + direction * distance;
        if (value < move.least || value > move.most)
            return std::nullopt;
        RunSpec changed = m_spec;
        move.set(changed, value);
        if (solves(changed))
            return changed;
    }
    return std::nullopt;
}

std::vector<Remedy> RemedySearch::run()
{
    const SettingMoves& moves = movesFor(m_path);
    for (const NumberMove& move : moves.numbers) {
        for (const int direction : {-1, 1}) {
            if (auto changed = nearest(move, direction))
                keep(std::move(*changed));
        }
    }
    for (const SwitchMove move : moves.switches) {
        RunSpec changed = m_spec;
        move(changed);
        if (solves(changed))
            keep(std::move(changed));
    }
    return std::move(m_remedies);
}

} // namespace

std::vector<ExplainedProblem> explain(const RunSpec& spec, const Diagnostics& problems,
                                      const FindProblems& find)
{
    const Diagnostics found = find(spec);
    std::vector<ExplainedProblem> explanations;
    for (const Diagnostic& problem : problems) {
        const bool known = std::ranges::find(found, problem) != found.end();
        explanations.push_back({problem, {}});
        if (known)
            explanations.back().remedies = RemedySearch(spec, found, problem.path, find).run();
    }
    return explanations;
}

} // namespace trainyard
