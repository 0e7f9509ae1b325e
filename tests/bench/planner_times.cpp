// Processor time of a plan and of a search for a layout, for one trillion parameters; see README.md.

#include <algorithm>
#include <ctime>
#include <limits>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/planner/hardware/hardware_presets.h"
#include "engine/planner/memory/memory_model.h"
#include "engine/planner/search/layout_search.h"
#include "engine/planner/time/step_model.h"
#include "engine/spec/presets.h"

namespace {

using namespace trainyard;

struct Pipeline {
    const char* name;
    ParallelLayout layout;
    int accumulation;
};

constexpr auto kInterleaved = PipelineScheduleKind::Interleaved;

const Pipeline kPipelines[] = {
    {"64 stages on 1024 devices", {.data = 2, .tensor = 8, .pipeline = 64}, 512},
    {"interleaved, unequal groups",
     {.data = 2, .tensor = 8, .pipeline = 64, .schedule = kInterleaved, .virtualStages = 2},
     4095},
    {"as many passes as are simulated",
     {.data = 2, .tensor = 8, .pipeline = 32, .schedule = kInterleaved, .virtualStages = 4},
     224},
    {"a stage for each layer", {.tensor = 8, .pipeline = 128}, 65536},
};

/// The fastest of some rounds, in milliseconds of processor time.
template <typename Work>
double milliseconds(int rounds, Work work)
{
    double best = std::numeric_limits<double>::infinity();
    for (int round = 0; round < rounds; ++round) {
        const std::clock_t before = std::clock();
        work();
        best = std::min(best, 1000.0 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
    }
    return best;
}

void measurePlan(const Pipeline& pipeline, int rounds)
{
    RunSpec spec;
    spec.model = *modelPreset("gpt-1t");
    spec.precision.compute = ComputeType::BFloat16;
    spec.layout = pipeline.layout;
    spec.batch = {pipeline.accumulation * pipeline.layout.data, 1, pipeline.accumulation};
    spec.cluster.nodes.assign(128, {"a", 8, 0});
    const SequenceShape shape{1024, 0};
    const double best = milliseconds(rounds, [&] {
        StepModel::create(spec, shape, *nodePreset("hgx-a100")).value().estimate();
        estimateMemory(spec, shape);
    });
    fmt::print("plan, {}: {:.1f} ms\n", pipeline.name, best);
}

void measureSearch(int rounds)
{
    SearchRequest request;
    request.spec.model = *modelPreset("gpt-175b");
    request.spec.batch.global = 1536;
    request.spec.precision.compute = ComputeType::BFloat16;
    request.shape = {2048, 0};
    request.node = *nodePreset("ndm-a100-v4");
    request.nodes = 128;
    const double best = milliseconds(rounds, [&] { searchLayouts(request).value(); });
    fmt::print("search, 175B on 1024 devices: {:.0f} ms\n", best);
}

} // namespace

int main(int argc, char** argv)
{
    CLI::App app("Processor time of a plan and of a search for a layout");
    int rounds = 10;
    app.add_option("--rounds", rounds, "Repetitions of each, of which the fastest counts")
        ->check(CLI::PositiveNumber);
    CLI11_PARSE(app, argc, argv);
    for (const Pipeline& pipeline : kPipelines)
        measurePlan(pipeline, rounds);
    measureSearch(std::max(1, rounds / 3));
    return 0;
}
