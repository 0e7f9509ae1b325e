// Time of a training step, beside what it costs rank 0 in processor time: the figure to trust on a busy
// machine. Configurations A and B of the published comparison: A has 4 layers of 256 and vocabulary 8192, B
// has 2 layers of 768 and vocabulary 30528; rows of 128 tokens, all full, 20 predictions, micro-batch 8,
// AdamW.
//
//     [mpirun -np N] bench_training [--model a|b] [--compute float32|bfloat16] [--threads 1] [--zero-stage 0]
//                                [--steps 40]
//
// On a GPU, with a preset of resources/presets as model and the chip's dense FLOP/s of the compute type:
//
//     bench_training --device cuda --model bert-large --compute bfloat16 --micro 64 --peak-tflops 989

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <optional>

#include <ATen/Parallel.h>
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/comm/process_group.h"
#include "engine/device/device_choice.h"
#include "engine/device/device_session.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/nn/cpu_math.h"
#include "engine/planner/layout/parameter_parts.h"
#include "engine/spec/names.h"
#include "engine/spec/presets.h"
#include "engine/training/step_journal.h"
#include "engine/training/trainer.h"
#include "engine/worker/rank_process.h"
#include "tests/auto/training/training_fixture.h"
#include "tests/bench/bench_models.h"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

struct Options {
    std::string model = "a";
    std::string compute = "float32";
    int threads = 1;
    int zeroStage = 0;
    int steps = 40;
    int micro = 8;
    double dropout = 0;
    DeviceKind device = DeviceKind::Cpu;
    double peakTflops = 0; ///< of one rank; 0: no model FLOP/s utilisation
};

constexpr int kLength = 128;
constexpr int kWarmUpSteps = 10; // of those measured as one run, left out

RunSpec specOf(const Options& options, const DatasetShape& shape, int ranks, const fs::path& dataset)
{
    RunSpec spec = tinySpec(dataset, ranks, *enumFromName<ComputeType>(options.compute));
    spec.model = modelPreset(options.model).value_or(benchModel(options.model));
    spec.model.vocabulary = shape.vocabulary;
    spec.model.dropout = options.dropout;
    spec.model.attentionDropout = options.dropout;
    spec.batch = {options.micro * ranks, options.micro, 1};
    spec.layout.bucketSize = ParallelLayout{}.bucketSize;
    spec.memory.zeroStage = options.zeroStage;
    spec.launch.steps = options.steps;
    return spec;
}

double processorSeconds()
{
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Floating-point operations of a step, forward and backward: six per parameter and token for the products
/// with weights, and those of queries with keys and of probabilities with values (Chowdhery et al.,
/// arXiv:2204.02311, appendix B). What is computed again is not counted.
double flopsOfStep(const ModelSpec& model, std::int64_t tokens, int length)
{
    const double attention = 12.0 * model.layers * model.hidden * length;
    return (6.0 * static_cast<double>(parameterCount(model)) + attention) * static_cast<double>(tokens);
}

/// The device of this rank, if one is asked for.
std::optional<GpuPlugin> openDevice(DeviceKind kind, ProcessGroup& world)
{
    const std::string device = chooseDevice(kind, world).value();
    if (device.empty())
        return std::nullopt;
    return GpuPlugin::open(device).value();
}

CollectiveWatchdog::Verdict endOfBenchmark()
{
    return {[](const std::string& what) { fmt::print(stderr, "{}\n", what); }, [] { std::abort(); }};
}

/// Runs the specification up to a step; the processor time that took. `session`: null on the processor.
double trainTo(const RunSpec& spec, GroupMaker& maker, ProcessGroup& group, DeviceSession* session,
               const fs::path& run, std::uint32_t attempt, std::int64_t lastStep)
{
    std::unique_ptr<StepJournal> journal;
    if (group.isFirst())
        journal = StepJournal::open(run / "journal", attempt).value();
    const auto trainer = Trainer::create({.spec = spec,
                                          .directory = RunDirectory(run),
                                          .maker = session ? session->maker() : maker,
                                          .world = group,
                                          .memory = AccountingAllocator::install(),
                                          .journal = journal.get(),
                                          .lastStep = lastStep,
                                          .device = session ? session->device() : Device(),
                                          .deviceMemory = session ? &session->memory() : nullptr})
                             .value();
    const double before = processorSeconds();
    const Status status = trainer->run();
    TRAINYARD_CHECK_MSG(status.ok(), status.ok() ? "" : status.error().text());
    return processorSeconds() - before;
}

void report(const RunSpec& spec, const Options& options, const fs::path& run, double processorSeconds)
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
    fmt::print("  {:.1f} sequences/s", static_cast<double>(steps.front().sequences) / median);
    if (options.peakTflops > 0) {
        const double peak = options.peakTflops * 1e12 * spec.layout.worldSize();
        const double flops = flopsOfStep(spec.model, steps.front().tokens, kLength);
        fmt::print(", model FLOP/s utilisation {:.1f} %", 100 * flops / median / peak);
    }
    fmt::print("\n");
    for (std::size_t p = 0; p < kStepPhases; ++p)
        fmt::print("  {:10} {:6.1f} ms\n", nameOf(static_cast<StepPhase>(p)), phases[p] * 1e3);
    const RankStats& figures = steps.back().ranks.front();
    fmt::print("  tensors {} at the peak, resident {}\n", formatBytes(figures.peakTotal),
               formatBytes(figures.residentSet));
}

} // namespace

int main(int argc, char** argv)
{
    Options options;
    CLI::App app("Time of a training step");
    std::vector<std::string> models = modelPresetNames();
    models.insert(models.end(), {"a", "b"});
    std::string device = "cpu";
    app.add_option("--model", options.model)->check(CLI::IsMember(models));
    app.add_option("--compute", options.compute)->check(CLI::IsMember({"float64", "float32", "bfloat16"}));
    app.add_option("--threads", options.threads);
    app.add_option("--zero-stage", options.zeroStage)->check(CLI::Range(0, 3));
    app.add_option("--steps", options.steps)->check(CLI::Range(kWarmUpSteps + 1, 100000));
    app.add_option("--micro", options.micro, "Sequences of a micro-batch")->check(CLI::PositiveNumber);
    app.add_option("--dropout", options.dropout, "Everywhere")->check(CLI::Range(0.0, 0.9));
    app.add_option("--device", device)->check(CLI::IsMember({"auto", "cpu", "cuda"}));
    app.add_option("--peak-tflops", options.peakTflops, "Dense, of the compute type, of one device");
    CLI11_PARSE(app, argc, argv);
    options.device = *enumFromName<DeviceKind>(device);

    const auto process = RankProcess::start().value();
    const auto group = process->makeWorld();
    const auto plugin = openDevice(options.device, *group);
    configureAllocator();
    AccountingAllocator::install();
    at::set_num_threads(options.threads);
    fmt::print("{}\n", plugin ? plugin->text() : configureCpuMath().text());
    std::optional<DeviceSession> session;
    if (plugin)
        session.emplace(*plugin, *process, endOfBenchmark());

    const fs::path folder = group->broadcastText(
        (fs::temp_directory_path() / fmt::format("bench_training-{}", ::getpid())).string());
    const DatasetShape shape{2000, kLength, 20, options.model == "a" ? 8192 : 30528, true};
    if (group->isFirst())
        TRAINYARD_CHECK(writeDataset(folder / "data", shape).ok());
    group->barrier();
    const RunSpec spec = specOf(options, shape, group->size().value, folder / "data");
    DeviceSession* const onDevice = session ? &*session : nullptr;
    trainTo(spec, *process, *group, onDevice, folder / "run", 1, kWarmUpSteps);
    const double seconds = trainTo(spec, *process, *group, onDevice, folder / "run", 2, options.steps);
    group->barrier();
    if (!group->isFirst())
        return 0;
    report(spec, options, folder / "run", seconds);
    fs::remove_all(folder);
    return 0;
}
