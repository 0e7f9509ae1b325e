#include "engine/spec/pipeline_rules.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/spec/names.h"

namespace trainyard {

namespace {

using Kind = PipelineScheduleKind;

Diagnostic refusal(std::string path, std::string message, std::string hint, std::string equation = {})
{
    return {std::move(path), std::move(message), std::move(hint), ErrorKind::Refused, std::move(equation)};
}

Diagnostic wrong(std::string path, std::string message, std::string hint, std::string equation)
{
    return {std::move(path), std::move(message), std::move(hint), ErrorKind::BadInput, std::move(equation)};
}

std::string plural(int count, const char* noun)
{
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// "; batch.micro 2 with batch.accumulation 8 keeps the global batch", when such a split exists.
std::string sameBatchInSmallerPieces(const BatchSpec& batch, int least)
{
    const long perRank = long{batch.micro} * batch.accumulation;
    for (int micro = batch.micro; micro >= 1; --micro) {
        if (perRank % micro == 0 && perRank / micro >= least)
            return fmt::format("; batch.micro {} with batch.accumulation {} keeps the global batch", micro,
                               perRank / micro);
    }
    return {};
}

std::string fewerStagesHint(int layers, const ParallelLayout& layout)
{
    std::vector<std::string> ways;
    if (layout.virtualStages > 1 && layers >= 2 * layout.pipeline)
        ways.push_back(fmt::format("lower layout.virtual_stages to {}", layers / layout.pipeline));
    else if (layout.virtualStages > 1 && layers >= layout.pipeline)
        ways.push_back("set layout.schedule to \"1f1b\" and layout.virtual_stages to 1");
    if (layers >= layout.virtualStages)
        ways.push_back(fmt::format("lower layout.pipeline to {}", layers / layout.virtualStages));
    ways.push_back(fmt::format("raise model.layers to {}", layout.stages()));
    return fmt::format("{}", fmt::join(ways, ", or "));
}

/// As equal as whole layers allow, the longer stages in the middle.
std::vector<int> evenCounts(int layers, int stages)
{
    std::vector<int> counts(static_cast<std::size_t>(stages), layers / stages);
    const int longer = layers % stages;
    const int first = (stages - longer) / 2;
    for (int i = 0; i < longer; ++i)
        ++counts[static_cast<std::size_t>(first + i)];
    return counts;
}

std::optional<Diagnostic> handPartitionProblem(int layers, int stages, const std::vector<int>& counts)
{
    const std::string list = fmt::format("[{}]", fmt::join(counts, ", "));
    const std::string hint = fmt::format("e.g. [{}]", fmt::join(evenCounts(layers, stages), ", "));
    if (static_cast<int>(counts.size()) != stages)
        return wrong("layout.partition",
                     fmt::format("{} is for {}, and the layout has {}", list,
                                 plural(static_cast<int>(counts.size()), "stage"), stages),
                     hint, fmt::format("entries {}, must be stages {}", counts.size(), stages));
    const long sum = std::accumulate(counts.begin(), counts.end(), 0L);
    if (sum != layers)
        return wrong(
            "layout.partition",
            fmt::format("{} adds up to {}, and the model has {}", list, sum, plural(layers, "layer")), hint,
            fmt::format("{} = {}, must be layers {}", fmt::join(counts, " + "), sum, layers));
    if (std::count(counts.begin(), counts.end(), 0) > 0)
        return wrong("layout.partition", list + " leaves a stage without a layer", hint,
                     "layers 0 < 1 in a stage");
    return std::nullopt;
}

std::optional<Diagnostic> partitionProblem(const RunSpec& spec)
{
    const int layers = spec.model.layers;
    const int stages = spec.layout.stages();
    if (layers < stages)
        return refusal("layout.pipeline",
                       fmt::format("{} cannot fill {} (pipeline {} x {})", plural(layers, "layer"),
                                   plural(stages, "stage"), spec.layout.pipeline,
                                   plural(spec.layout.virtualStages, "virtual stage")),
                       fewerStagesHint(layers, spec.layout),
                       fmt::format("layers {} < pipeline {} x virtual_stages {} = {}", layers,
                                   spec.layout.pipeline, spec.layout.virtualStages, stages));
    if (spec.layout.partition.kind == PartitionKind::ByHand)
        return handPartitionProblem(layers, stages, spec.layout.partition.layerCounts);
    return std::nullopt;
}

} // namespace

std::optional<Diagnostic> scheduleProblem(Kind kind, int ranks, int virtualStages, int microBatches)
{
    if (kind == Kind::Interleaved && virtualStages < 2)
        return wrong("layout.virtual_stages",
                     "the interleaved schedule needs at least 2 chunks of the model per rank",
                     "set layout.virtual_stages to 2, or layout.schedule to \"1f1b\"",
                     fmt::format("virtual_stages {} < 2", virtualStages));
    if (kind != Kind::Interleaved && virtualStages != 1)
        return wrong("layout.virtual_stages",
                     fmt::format("the {} schedule has 1 chunk of the model per rank, not {}", nameOf(kind),
                                 virtualStages),
                     "set layout.virtual_stages to 1, or layout.schedule to \"interleaved\"",
                     fmt::format("virtual_stages {}, must be 1", virtualStages));
    if (kind != Kind::GPipe && microBatches < ranks)
        return refusal(
            "batch.accumulation",
            fmt::format("the {} schedule on {} pipeline ranks needs at least {} micro-batches, not {}",
                        nameOf(kind), ranks, ranks, microBatches),
            fmt::format("raise batch.accumulation to {}, lower layout.pipeline to {}, or set "
                        "layout.schedule to \"gpipe\"",
                        ranks, microBatches),
            fmt::format("micro-batches {} < pipeline {}", microBatches, ranks));
    return std::nullopt;
}

Diagnostics pipelineProblems(const RunSpec& spec)
{
    Diagnostics problems;
    const ParallelLayout& layout = spec.layout;
    if (layout.pipeline == 1)
        return problems;
    if (auto problem = scheduleProblem(layout.schedule, layout.pipeline, layout.virtualStages,
                                       spec.batch.accumulation)) {
        if (problem->path == "batch.accumulation")
            problem->hint += sameBatchInSmallerPieces(spec.batch, layout.pipeline);
        problems.push_back(*problem);
    }
    if (const auto problem = partitionProblem(spec))
        problems.push_back(*problem);
    return problems;
}

} // namespace trainyard
