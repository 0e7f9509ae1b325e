#include "engine/spec/elastic.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/spec/layout_change.h"
#include "engine/spec/phases/phases.h"
#include "engine/spec/validate.h"

namespace trainyard {

namespace {

/// Micro-batches per step that keep the global batch.
Result<int> accumulationWith(const BatchSpec& batch, int replicas)
{
    if (replicas < 1 || batch.global % (batch.micro * replicas) != 0)
        return refused(
            fmt::format(
                "a global batch of {} cannot be kept by {} data-parallel ranks with micro-batches of {}",
                batch.global, replicas, batch.micro),
            "choose a global batch that more numbers of ranks divide");
    return batch.global / (batch.micro * replicas);
}

} // namespace

Result<RunSpec> withReplicas(const RunSpec& spec, int replicas)
{
    RunSpec changed = spec;
    changed.layout.data = replicas;
    for (int phase = 0; phase < phaseCount(spec); ++phase) {
        TRAINYARD_TRY(const int accumulation, accumulationWith(specOfPhase(spec, phase).batch, replicas));
        if (spec.phases.empty()) {
            changed.batch.accumulation = accumulation;
            continue;
        }
        PhaseSpec& over = changed.phases[static_cast<std::size_t>(phase)];
        over.batch.accumulation = accumulation;
        over.named.insert("batch.accumulation");
    }
    if (const Diagnostics wrong = validate(changed); !wrong.empty())
        return toError(wrong).in(fmt::format("with {} data-parallel ranks", replicas));
    return changed;
}

Result<RunSpec> fittedTo(const RunSpec& spec, int ranks)
{
    const int ranksPerReplica = spec.layout.worldSize() / spec.layout.data;
    for (int replicas = std::min(spec.layout.data, ranks / ranksPerReplica); replicas > 0; --replicas) {
        if (auto fitted = withReplicas(spec, replicas); fitted.ok())
            return fitted;
    }
    return refused(
        fmt::format("{} ranks are too few: one copy of the model needs {}, and the global batch of {} must "
                    "divide by micro-batches of {}",
                    ranks, ranksPerReplica, spec.batch.global, spec.batch.micro));
}

Result<RunSpec> specOfAttempt(const RunSpec& launched, std::string_view layout, int replicas)
{
    const auto spread = layout.empty() ? Result<RunSpec>(launched) : withLayout(launched, layout);
    return spread.ok() && replicas > 0 ? withReplicas(*spread, replicas) : spread;
}

} // namespace trainyard
