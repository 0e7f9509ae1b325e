// Time of a training step, beside what it costs rank 0 in processor time: the figure to trust on a busy
// machine. Configurations A and B of the published comparison: A has 4 layers of 256 and vocabulary 8192, B
// has 2 layers of 768 and vocabulary 30528; rows of 128 tokens, all full, 20 predictions, micro-batch 8,
// AdamW.
//
//     [mpirun -np N] bench_training [--model a|b] [--compute float32|bfloat16] [--threads 1] [--steps 40]

#include <algorithm>
#include <ctime>
#include <filesystem>

#include <ATen/Parallel.h>
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/comm/process_group.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/nn/cpu_math.h"
#include "engine/spec/names.h"
#include "engine/training/step_journal.h"
#include "engine/training/trainer.h"
#include "engine/worker/rank_process.h"
#include "tests/auto/training/training_fixture.h"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

struct Options {
    std::string model = "a";
    std::string compute = "float32";
    int threads = 1;
    int steps = 40;
};

constexpr int kWarmUpSteps = 10; // of those measured as one run, left out

RunSpec specOf(const Options& options, const DatasetShape& shape, int ranks, const fs::path& dataset)
{
    RunSpec spec = tinySpec(dataset, ranks, *enumFromName<ComputeType>(options.compute));
    const bool a = options.model == "a";
    spec.model.layers = a ? 4 : 2;
    spec.model.hidden = a ? 256 : 768;
    spec.model.heads = a ? 4 : 12;
    spec.model.intermediate = 4 * spec.model.hidden;
    spec.model.vocabulary = shape.vocabulary;
    spec.model.maxPositions = shape.length;
    spec.model.dropout = 0;
    spec.model.attentionDropout = 0;
    spec.batch = {8 * ranks, 8, 1};
    spec.layout.bucketSize = ParallelLayout{}.bucketSize;
    spec.launch.steps = options.steps;
    return spec;
}

double processorSeconds()
{
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Runs the specification up to a step; the processor time that took.
double trainTo(const RunSpec& spec, GroupMaker& maker, ProcessGroup& group, const fs::path& run,
               std::uint32_t attempt, std::int64_t lastStep)
{
    std::unique_ptr<StepJournal> journal;
    if (group.isFirst())
        journal = StepJournal::open(run / "journal", attempt).value();
    const auto trainer = Trainer::create({.spec = spec,
                                          .directory = RunDirectory(run),
                                          .maker = maker,
                                          .world = group,
                                          .memory = AccountingAllocator::install(),
                                          .journal = journal.get(),
                                          .lastStep = lastStep})
                             .value();
    const double before = processorSeconds();
    const Status status = trainer->run();
    TRAINYARD_CHECK_MSG(status.ok(), status.ok() ? "" : status.error().text());
    return processorSeconds() - before;
}

void report(const RunSpec& spec, const fs::path& run, double processorSeconds)
{
    std::vector<StepRecord> steps = stepsOf(run);
    steps.erase(steps.begin(), steps.begin() + kWarmUpSteps);
    std::vector<double> seconds;
    SecondsByPhase phases{};
    for (const StepRecord& step : steps) {
        seconds.push_back(step.stepSeconds);
        for (std::size_t p = 0; p < kStepPhases; ++p)
            phases[p] += step.ranks.front().seconds[p] / static_cast<double>(steps.size());
    }
    std::sort(seconds.begin(), seconds.end());
    const double median = seconds[seconds.size() / 2];
    const double perStep = processorSeconds / static_cast<double>(spec.launch.steps - kWarmUpSteps);
    const double tokens = static_cast<double>(steps.front().tokens);
    fmt::print("{}: {:.1f} ms/step median ({:.1f} fastest), {:.0f} tokens/s; processor time {:.1f} ms/step, "
               "{:.0f} tokens/s\n",
               nameOf(spec.precision.compute), median * 1e3, seconds.front() * 1e3, tokens / median,
               perStep * 1e3, tokens / perStep);
    for (std::size_t p = 0; p < kStepPhases; ++p)
        fmt::print("  {:10} {:6.1f} ms\n", nameOf(static_cast<StepPhase>(p)), phases[p] * 1e3);
    const RankFigures& figures = steps.back().ranks.front();
    fmt::print("  tensors {} at the peak, resident {}\n", formatBytes(figures.peakTotal),
               formatBytes(figures.residentSet));
}

} // namespace

int main(int argc, char** argv)
{
    Options options;
    CLI::App app("Time of a training step");
    app.add_option("--model", options.model)->check(CLI::IsMember({"a", "b"}));
    app.add_option("--compute", options.compute)->check(CLI::IsMember({"float64", "float32", "bfloat16"}));
    app.add_option("--threads", options.threads);
    app.add_option("--steps", options.steps)->check(CLI::Range(kWarmUpSteps + 1, 100000));
    CLI11_PARSE(app, argc, argv);

    configureAllocator();
    AccountingAllocator::install();
    at::set_num_threads(options.threads);
    fmt::print("{}\n", configureCpuMath().text());

    const auto process = RankProcess::start().value();
    const auto group = process->makeWorld();
    const fs::path folder = group->broadcastText(
        (fs::temp_directory_path() / fmt::format("bench_training-{}", ::getpid())).string());
    const DatasetShape shape{2000, 128, 20, options.model == "a" ? 8192 : 30528, true};
    if (group->isFirst())
        TRAINYARD_CHECK(writeDataset(folder / "data", shape).ok());
    group->barrier();
    const RunSpec spec = specOf(options, shape, group->size().value, folder / "data");
    trainTo(spec, *process, *group, folder / "run", 1, kWarmUpSteps);
    const double seconds = trainTo(spec, *process, *group, folder / "run", 2, options.steps);
    group->barrier();
    if (!group->isFirst())
        return 0;
    report(spec, folder / "run", seconds);
    fs::remove_all(folder);
    return 0;
}
