#include "app/cli/support/spec_input.h"

#include "app/cli/support/console.h"
#include "app/cli/support/problem_output.h"
#include "engine/base/file.h"
#include "engine/spec/phases/phases.h"
#include "engine/spec/remarks.h"
#include "engine/spec/spec_json.h"
#include "engine/spec/validate.h"

namespace trainyard {

RunSpec completedFor(SpecUse use, RunSpec spec)
{
    if (use != SpecUse::Run && spec.dataset.path.empty() && !spec.dataset.isMix())
        spec.dataset.path = "/";
    if (use == SpecUse::Search) {
        spec.layout = {.bucketSize = spec.layout.bucketSize};
        spec.memory = {.offloadHorizon = spec.memory.offloadHorizon};
        spec.batch.micro = 1;
        spec.batch.accumulation = spec.batch.global;
    }
    return spec;
}

namespace {

/// Makes `spec` that of a phase, from 1; what is wrong where there is none.
Diagnostics selectPhase(RunSpec& spec, int phase)
{
    if (phase > phaseCount(spec))
        return {{"--phase", "is " + std::to_string(phase),
                 "the specification has " + std::to_string(phaseCount(spec))}};
    spec = specOfPhase(spec, phase - 1);
    return {};
}

} // namespace

SpecInput readSpecInput(const std::string& file, bool json, SpecUse use, std::optional<int> phase)
{
    const auto text = readFile(file);
    if (!text.ok())
        return {{}, console::fail(text.error())};
    const auto problemsOf = [use](const RunSpec& spec) { return validate(completedFor(use, spec)); };
    auto [spec, problems] = parseSpec(*text);
    if (problems.empty() && phase)
        problems = selectPhase(spec, *phase);
    if (problems.empty())
        problems = problemsOf(spec);
    if (!problems.empty())
        return {{}, failForProblems(file, explain(spec, problems, problemsOf), json)};
    warn(file, remarksOn(completedFor(use, spec)));
    return {spec, 0};
}

} // namespace trainyard
