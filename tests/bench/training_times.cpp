// Time and losses of training steps, as one JSON object on stdout. Models A and B: A has 4 layers of 256 and
// vocabulary 8192, B has 2 layers of 768 and vocabulary 30528; rows of 128 tokens, all full, 20 predictions,
// no dropout, gradient norm clipped at 1. Weights and data as in hash_seeded.h. training_peer.py is the same
// in PyTorch.
//
//     [mpirun -np N] training_times [--model a|b] [--compute float32|bfloat16] [--optimizer adamw|lamb]
//         [--threads 1] [--micro 8] [--accumulation 1] [--zero 0] [--warm-up 3] [--steps 10]

#include <algorithm>
#include <ctime>
#include <sys/resource.h>

#include <ATen/Parallel.h>
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/comm/process_groups.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/nn/cpu_math.h"
#include "engine/spec/names.h"
#include "engine/training/replica.h"
#include "engine/training/training_step.h"
#include "engine/worker/rank_process.h"
#include "tests/bench/bench_models.h"
#include "tests/bench/hash_seeded.h"

using namespace trainyard;

namespace {

struct Options {
    std::string model = "a";
    std::string compute = "float32";
    std::string optimizer = "adamw";
    int threads = 1;
    int micro = 8;
    int accumulation = 1;
    int zero = 0;
    int warmUp = 3;
    int steps = 10;
};

constexpr std::uint64_t kSeed = 1234;

RunSpec specOf(const Options& options, int ranks)
{
    RunSpec spec;
    spec.model = benchModel(options.model);
    spec.layout.data = ranks;
    spec.memory.zeroStage = options.zero;
    spec.batch = {options.micro * options.accumulation * ranks, options.micro, options.accumulation};
    spec.optimizer.kind = *enumFromName<OptimizerKind>(options.optimizer);
    spec.optimizer.epsilon = 1e-6;
    spec.optimizer.schedule = ScheduleKind::Constant;
    spec.precision.compute = *enumFromName<ComputeType>(options.compute);
    spec.launch.steps = options.warmUp + options.steps;
    return spec;
}

StepInput inputOf(const RunSpec& spec, std::uint64_t step, std::uint64_t rank)
{
    const BatchShape shape{.sequences = spec.batch.micro, .vocabulary = spec.model.vocabulary};
    StepInput input;
    for (int i = 0; i < spec.batch.accumulation; ++i) {
        const std::uint64_t micro =
            step * static_cast<std::uint64_t>(spec.batch.accumulation) + static_cast<std::uint64_t>(i);
        input.microBatches.push_back(
            {batchFromHash(shape, kSeed, micro, rank), shape.sequences * shape.length});
        input.targets += shape.sequences * shape.predictions;
        input.sequences += shape.sequences;
        input.tokens += shape.sequences * shape.length;
    }
    return input;
}

double secondsOf(clockid_t clock)
{
    timespec time{};
    ::clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double medianOf(std::vector<double> values)
{
    std::ranges::sort(values);
    return values[values.size() / 2];
}

struct Measured {
    std::vector<double> wall;      ///< seconds per step
    std::vector<double> processor; ///< of this rank, all threads
    std::vector<double> losses;    ///< of every step, those of the warm-up too
    SecondsByPhase phases{};       ///< per step
};

Measured train(const Options& options, const RunSpec& spec, TrainingStep& training, PhaseClock& clock,
               ProcessGroup& world)
{
    Measured measured;
    for (int step = 0; step < spec.launch.steps; ++step) {
        const auto rank = static_cast<std::uint64_t>(world.rank().value);
        StepInput input = inputOf(spec, static_cast<std::uint64_t>(step), rank);
        world.barrier();
        clock.finish();
        const double wall = secondsOf(CLOCK_MONOTONIC);
        const double processor = secondsOf(CLOCK_PROCESS_CPUTIME_ID);
        const StepOutcome outcome =
            training.run(Step{step + 1}, std::move(input), [] { return Requests(); }).value();
        measured.losses.push_back(outcome.tokenLoss + outcome.sequenceLoss);
        const SecondsByPhase phases = clock.finish();
        if (step < options.warmUp)
            continue;
        measured.wall.push_back(secondsOf(CLOCK_MONOTONIC) - wall);
        measured.processor.push_back(secondsOf(CLOCK_PROCESS_CPUTIME_ID) - processor);
        for (std::size_t p = 0; p < kStepPhases; ++p)
            measured.phases[p] += phases[p] / options.steps;
    }
    return measured;
}

void report(const Measured& measured)
{
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    fmt::print("{{\"step_seconds\": {:.5f}, \"fastest\": {:.5f}, \"processor_seconds\": {:.5f}, ",
               medianOf(measured.wall), *std::ranges::min_element(measured.wall),
               medianOf(measured.processor));
    for (std::size_t p = 0; p < kStepPhases; ++p)
        fmt::print("\"{}_seconds\": {:.5f}, ", nameOf(static_cast<StepPhase>(p)), measured.phases[p]);
    fmt::print("\"peak_tensor_mib\": {:.1f}, \"peak_resident_mib\": {:.1f}, \"losses\": [{:.6f}]}}\n",
               static_cast<double>(AccountingAllocator::install().ledger().peak().total) / (1 << 20),
               static_cast<double>(usage.ru_maxrss) / 1024, fmt::join(measured.losses, ", "));
}

} // namespace

int main(int argc, char** argv)
{
    Options options;
    CLI::App app("Time and losses of training steps");
    app.add_option("--model", options.model)->check(CLI::IsMember({"a", "b"}));
    app.add_option("--compute", options.compute)->check(CLI::IsMember({"float32", "bfloat16"}));
    app.add_option("--optimizer", options.optimizer)->check(CLI::IsMember({"adamw", "lamb"}));
    app.add_option("--threads", options.threads);
    app.add_option("--micro", options.micro);
    app.add_option("--accumulation", options.accumulation);
    app.add_option("--zero", options.zero)->check(CLI::Range(0, 2));
    app.add_option("--warm-up", options.warmUp);
    app.add_option("--steps", options.steps)->check(CLI::PositiveNumber);
    CLI11_PARSE(app, argc, argv);

    configureAllocator();
    AccountingAllocator::install();
    at::set_num_threads(options.threads);
    const auto process = RankProcess::start().value();
    configureCpuMath();
    const auto world = process->makeWorld();
    const RunSpec spec = specOf(options, world->size().value);
    const ProcessGroups groups = makeProcessGroups(*process, *world, RankGrid::create(spec.layout).value());
    const auto replica = Replica::create(spec, {}, groups).value();
    fillFromHash(replica->chunks().front()->parameters(), spec.model, kSeed);
    PhaseClock clock(nullptr);
    TrainingStep training(spec, {*replica, groups, clock});
    const Measured measured = train(options, spec, training, clock, *world);
    if (world->isFirst())
        report(measured);
    return 0;
}
