#include "engine/spec/phases/phase_rules.h"

#include <algorithm>
#include <cctype>
#include <limits>

#include <fmt/format.h>

#include "engine/spec/checker.h"
#include "engine/spec/limits.h"
#include "engine/spec/names.h"
#include "engine/spec/phases/phases.h"

namespace trainyard {

namespace {

constexpr std::string_view kRunSteps = "launch.steps";

std::string phasePath(int phase)
{
    return fmt::format("phases[{}]", phase);
}

bool overrides(const PhaseSpec& phase, std::string_view section)
{
    return std::ranges::any_of(phase.named, [&](const std::string& field) {
        return field.size() > section.size() && field.starts_with(section) && field[section.size()] == '.';
    });
}

/// What a rule says of the run's steps is meant for those of the phase.
std::string withStepsOf(int phase, std::string text)
{
    const std::string steps = phasePath(phase) + ".steps";
    for (std::size_t at = 0; (at = text.find(kRunSteps, at)) != std::string::npos; at += steps.size())
        text.replace(at, kRunSteps.size(), steps);
    return text;
}

bool isSaidOf(const Diagnostics& problems, const Diagnostic& problem)
{
    return std::ranges::find(problems, problem) != problems.end();
}

void checkPhaseName(const std::string& name, const std::string& path, Checker& check)
{
    const bool plain = name.size() <= 64 && std::ranges::all_of(name, [](unsigned char c) {
                           return std::isalnum(c) || c == '.' || c == '_' || c == '-';
                       });
    check.require(plain, (path + ".name").c_str(), fmt::format("\"{}\" cannot name a phase", name),
                  "use at most 64 letters, digits, '.', '_' and '-'");
}

bool haveTheSameState(const OptimizerSpec& a, const OptimizerSpec& b)
{
    const bool hasMomentum = a.kind == OptimizerKind::Sgd && (a.momentum > 0) != (b.momentum > 0);
    return a.kind == b.kind && !hasMomentum;
}

/// Phases of the same kind of optimizer have the same moments.
void checkOptimizerState(const RunSpec& run, int phase, Checker& check)
{
    if (phase == 0 || !run.phases[static_cast<std::size_t>(phase)].keepOptimizer)
        return;
    const OptimizerSpec before = specOfPhase(run, phase - 1).optimizer;
    const OptimizerSpec here = specOfPhase(run, phase).optimizer;
    check.require(haveTheSameState(before, here), (phasePath(phase) + ".keep_optimizer").c_str(),
                  before.kind == here.kind
                      ? "is true, and only one of the two phases has momentum"
                      : fmt::format("is true, and {} cannot continue with the state of {}", nameOf(here.kind),
                                    nameOf(before.kind)),
                  "set it to false, and lengthen the warm-up of the phase");
}

void checkSumOfSteps(const RunSpec& run, Checker& check)
{
    if (std::ranges::any_of(run.phases, [](const PhaseSpec& phase) { return phase.steps < 1; }))
        return; // reported where it stands
    const std::int64_t steps = stepsOfPhases(run);
    if (steps > std::numeric_limits<int>::max())
        check.require(false, "phases", fmt::format("have {} steps in all", steps),
                      fmt::format("must have at most {}", std::numeric_limits<int>::max()));
    else
        check.require(run.launch.steps == steps, kRunSteps.data(),
                      fmt::format("is {}, but the phases have {} steps in all", run.launch.steps, steps),
                      fmt::format("set it to {}, or leave it out", steps),
                      fmt::format("steps {} != {}", run.launch.steps, steps));
}

} // namespace

std::string pathInPhase(const RunSpec& run, int phase, const std::string& field)
{
    if (run.phases.empty())
        return field;
    if (field == kRunSteps)
        return phasePath(phase) + ".steps";
    const bool isOver =
        overrides(run.phases.at(static_cast<std::size_t>(phase)), field.substr(0, field.find('.')));
    return isOver ? phasePath(phase) + "." + field : field;
}

Diagnostic inPhase(const RunSpec& run, int phase, Diagnostic problem)
{
    if (run.phases.empty())
        return problem;
    const std::string path = pathInPhase(run, phase, problem.path);
    if (path == problem.path)
        problem.message += fmt::format(" (in {})", phasePath(phase));
    problem.path = path;
    problem.hint = withStepsOf(phase, problem.hint);
    return problem;
}

Diagnostics inPhase(const RunSpec& run, int phase, Diagnostics problems)
{
    for (Diagnostic& problem : problems)
        problem = inPhase(run, phase, std::move(problem));
    return problems;
}

Error inPhase(const RunSpec& run, int phase, const Error& error)
{
    return run.phases.empty() ? error : error.in(phasePath(phase));
}

Diagnostics overPhases(const RunSpec& run, const std::function<Diagnostics(const RunSpec&)>& problemsOf)
{
    std::vector<Diagnostics> ofPhase;
    for (int phase = 0; phase < phaseCount(run); ++phase)
        ofPhase.push_back(problemsOf(specOfPhase(run, phase)));
    Diagnostics all;
    for (int phase = 0; phase < phaseCount(run); ++phase) {
        for (const Diagnostic& problem : ofPhase[static_cast<std::size_t>(phase)]) {
            const Diagnostic here = inPhase(run, phase, problem);
            const bool isOfAll =
                here.path == problem.path &&
                std::ranges::all_of(ofPhase, [&](const auto& one) { return isSaidOf(one, problem); });
            if (const Diagnostic& said = isOfAll ? problem : here; !isSaidOf(all, said))
                all.push_back(said);
        }
    }
    return all;
}

Diagnostics sequenceProblems(const RunSpec& run)
{
    Diagnostics problems;
    Checker check(problems);
    if (run.phases.empty())
        return problems;
    for (int phase = 0; phase < phaseCount(run); ++phase) {
        checkPhaseName(run.phases[static_cast<std::size_t>(phase)].name, phasePath(phase), check);
        checkOptimizerState(run, phase, check);
    }
    checkSumOfSteps(run, check);
    return problems;
}

} // namespace trainyard
