// Time of a training step, beside what it costs rank 0 in processor time: the figure to trust on a busy
// machine. Configurations A and B of the published comparison: A has 4 layers of 256 and vocabulary 8192, B
// has 2 layers of 768 and vocabulary 30528; full rows of 128 tokens, 20 predictions, micro-batch 8, AdamW.
//
//     [mpirun -np N] bench_training [--model a|b] [--compute float32|bfloat16] [--threads 1] [--zero-stage 0]
//                                [--steps 40]
//
// On a GPU, with a preset of resources/presets as model and the chip's dense FLOP/s of the compute type:
//
//     bench_training --device cuda --model bert-large --compute bfloat16 --micro 64 --peak-tflops 989

#include <algorithm>
#include <filesystem>
#include <optional>
#include <thread>

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/base/standard_streams.h"
#include "engine/comm/process_group.h"
#include "engine/device/cuda/cuda_plugin.h"
#include "engine/device/device_choice.h"
#include "engine/device/device_session.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/nn/cpu_math.h"
#include "engine/spec/names.h"
#include "engine/worker/rank_process.h"
#include "tests/bench/training/bench_options.h"
#include "tests/bench/training/bench_run.h"
#include "tests/bench/training/speed_report.h"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

CollectiveWatchdog::Verdict endOfBenchmark()
{
    return {[](const std::string& what) { fmt::print(stderr, "{}\n", what); }, [] { std::abort(); }};
}

int threadsOf(const BenchOptions& options, int ranks)
{
    if (options.threads > 0)
        return options.threads;
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / ranks);
}

/// The device of this rank; none where all compute on their processors.
Result<std::optional<GpuPlugin>> deviceOf(const BenchOptions& options, ProcessGroup& world)
{
    TRAINYARD_TRY(const std::string device, chooseDevice(*enumFromName<DeviceKind>(options.device), world));
    if (device.empty())
        return std::optional<GpuPlugin>();
    TRAINYARD_TRY(GpuPlugin plugin, GpuPlugin::open(device));
    return std::optional(plugin);
}

fs::path folderOfAll(ProcessGroup& world)
{
    return world.broadcastText(
        (fs::temp_directory_path() / fmt::format("bench_training-{}", ::getpid())).string());
}

Status report(const BenchRun& run, const BenchOptions& options, Measurement measured,
              const std::optional<GpuPlugin>& plugin)
{
    Bytes free = 0;
    if (plugin && plugin->functions().deviceMemory(0, &free, &measured.memory.total))
        measured.memory.used = measured.memory.total - free;
    const SpeedReport speed(run, options, measured);
    fmt::print("{}", speed.text());
    return options.json.empty() ? Status() : writeFileAtomically(options.json, speed.json());
}

Status runBenchmark(BenchOptions options)
{
    TRAINYARD_TRY(const auto process, RankProcess::start());
    const auto world = process->makeWorld();
    const int ranks = world->size().value;
    const fs::path folder = folderOfAll(*world);
    TRAINYARD_TRY(const BenchRun run, benchRunOf(options, ranks, folder / "data"));
    TRAINYARD_TRY(const auto plugin, deviceOf(options, *world));
    options.device = plugin ? "cuda" : "cpu";
    options.threads = threadsOf(options, ranks);
    configureAllocator();
    AccountingAllocator::install();
    at::set_num_threads(options.threads);
    fmt::print("{}\n", plugin ? plugin->text() : configureCpuMath().text());
    std::optional<DeviceSession> session;
    if (plugin)
        session.emplace(*plugin, *process, endOfBenchmark());
    if (world->isFirst())
        TRAINYARD_TRY_STATUS(writeRowsOf(run));
    world->barrier();
    Measurement measured =
        measure(run, options, *process, *world, session ? &*session : nullptr, folder / "run");
    world->barrier();
    if (!world->isFirst())
        return {};
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    return report(run, options, std::move(measured), plugin);
}

} // namespace

int main(int argc, char** argv)
{
    const Status status = runBenchmark(readBenchOptions(argc, argv));
    if (!status.ok())
        printError("bench_training", status.error());
    return status.ok() ? 0 : exitStatus(status.error().kind);
}
