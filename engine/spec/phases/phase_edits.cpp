#include "engine/spec/phases/phase_edits.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "engine/spec/phases/phase_rules.h"
#include "engine/spec/phases/phase_sections.h"
#include "engine/spec/phases/phases.h"

namespace trainyard {

namespace {

PhaseSpec& phaseToEdit(RunSpec& run, int phase)
{
    return run.phases.at(static_cast<std::size_t>(phase));
}

/// Too large a sum is reported where the steps are.
void sumSteps(RunSpec& run)
{
    if (!run.phases.empty())
        run.launch.steps =
            static_cast<int>(std::min<std::int64_t>(stepsOfPhases(run), std::numeric_limits<int>::max()));
}

/// Calls `edit(path, from, to)` with each field in which `wanted` differs from what the run is in the phase:
/// `from` is its wanted value, `to` that of the phase or, where `inRun` says so, of the run.
template <typename InRun>
void assignChanges(RunSpec& run, int phase, const RunSpec& wanted, const InRun& inRun)
{
    const RunSpec before = specOfPhase(run, phase);
    PhaseSpec& over = phaseToEdit(run, phase);
    std::set<std::string> changed;
    eachPhaseSection(wanted, before, [&](const char* key, const auto& to, const auto& from) {
        eachFieldOf<std::remove_cvref_t<decltype(to)>>(
            key, [&](const std::string& field, const auto& access) {
                if (!(std::invoke(access, to) == std::invoke(access, from)))
                    changed.insert(field);
            });
    });
    eachPhaseSection(wanted, run, [&](const char* key, const auto& from, auto& to) {
        eachFieldOf<std::remove_cvref_t<decltype(to)>>(
            key, [&](const std::string& field, const auto& access) {
                if (changed.contains(field) && inRun(field))
                    std::invoke(access, to) = std::invoke(access, from);
            });
    });
    eachPhaseSection(over, wanted, [&](const char* key, auto& to, const auto& from) {
        eachFieldOf<std::remove_cvref_t<decltype(to)>>(
            key, [&](const std::string& field, const auto& access) {
                if (!changed.contains(field) || inRun(field))
                    return;
                std::invoke(access, to) = std::invoke(access, from);
                over.named.insert(field);
            });
    });
}

} // namespace

void addPhase(RunSpec& run)
{
    if (run.phases.empty())
        run.phases.push_back({.steps = run.launch.steps});
    run.phases.push_back({.steps = run.phases.back().steps});
    sumSteps(run);
}

void duplicatePhase(RunSpec& run, int phase)
{
    PhaseSpec copy = phaseToEdit(run, phase);
    copy.name.clear();
    run.phases.insert(run.phases.begin() + phase + 1, std::move(copy));
    sumSteps(run);
}

void removePhase(RunSpec& run, int phase)
{
    phaseToEdit(run, phase);
    run.phases.erase(run.phases.begin() + phase);
    sumSteps(run);
}

void movePhase(RunSpec& run, int phase, int to)
{
    PhaseSpec moved = phaseToEdit(run, phase);
    run.phases.erase(run.phases.begin() + phase);
    run.phases.insert(run.phases.begin() + to, std::move(moved));
}

void setPhaseSteps(RunSpec& run, int phase, int steps)
{
    phaseToEdit(run, phase).steps = steps;
    sumSteps(run);
}

bool isOverridden(const RunSpec& run, int phase, const std::string& field)
{
    return run.phases.at(static_cast<std::size_t>(phase)).named.contains(field);
}

void overrideInPhase(RunSpec& run, int phase, const RunSpec& wanted)
{
    assignChanges(run, phase, wanted, [](const std::string&) { return false; });
}

void inheritFromRun(RunSpec& run, int phase, const std::string& field)
{
    PhaseSpec& over = phaseToEdit(run, phase);
    if (over.named.erase(field) == 0)
        return;
    // Fields that are not named keep their defaults, so that equal specifications compare equal.
    const PhaseSpec defaults;
    eachPhaseSection(over, defaults, [&](const char* key, auto& to, const auto& from) {
        eachFieldOf<std::remove_cvref_t<decltype(to)>>(key, [&](const std::string& path, const auto& access) {
            if (path == field)
                std::invoke(access, to) = std::invoke(access, from);
        });
    });
}

void applyInPhase(RunSpec& run, int phase, const RunSpec& wanted)
{
    if (run.phases.empty()) {
        run = wanted;
        return;
    }
    const auto isRuns = [before = run, phase](const std::string& field) {
        return pathInPhase(before, phase, field) == field;
    };
    RunSpec changed = wanted;
    changed.phases = run.phases;
    changed.launch.steps = run.launch.steps;
    eachPhaseSection(changed, run, [](const char*, auto& to, const auto& from) { to = from; });
    assignChanges(changed, phase, wanted, isRuns);
    run = std::move(changed);
}

} // namespace trainyard
