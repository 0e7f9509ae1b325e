#include "tests/bench/training/bench_run.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <optional>

#include <c10/core/CachingDeviceAllocator.h>
#include <fmt/format.h>

#include "engine/comm/process_group.h"
#include "engine/device/device_session.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/planner/memory/memory_model.h"
#include "engine/spec/names.h"
#include "engine/spec/presets.h"
#include "engine/training/step_journal.h"
#include "engine/training/trainer.h"
#include "tests/auto/training/training_fixture.h"
#include "tests/bench/bench_models.h"
#include "tests/bench/training/step_profile.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

/// 20 of 128 and 80 of 512, as NVIDIA's recipes have it.
int usualPredictions(int length)
{
    return (length * 5 + 31) / 32;
}

SequenceShape shapeOf(const BenchOptions& options, const ModelSpec& model)
{
    const bool isDecoder = model.family == ModelFamily::Gpt;
    const int length = options.length > 0 ? options.length : isDecoder ? model.maxPositions : 128;
    if (isDecoder)
        return {length, 0};
    return {length, options.predictions > 0 ? options.predictions : usualPredictions(length)};
}

Status fits(const ModelSpec& model, const SequenceShape& shape)
{
    if (shape.length > model.maxPositions)
        return badInput(
            fmt::format("--length {}: the model has {} positions", shape.length, model.maxPositions));
    // Of the rows that are made up every second token is masked at most (training_fixture.cpp).
    if (2 * shape.maxPredictions > shape.length)
        return badInput(
            fmt::format("--predictions {}: at most half of {} tokens", shape.maxPredictions, shape.length));
    return {};
}

double processorSeconds()
{
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Takes the times between two steps, and traces the last ones.
class StepWatch {
public:
    StepWatch(const BenchOptions& options, bool traces) : m_options(options), m_traces(traces) {}

    void after(Step step)
    {
        if (step.value == 1)
            startSeconds = std::chrono::duration<double>(Clock::now() - m_created).count();
        if (step.value == m_options.skipped)
            begin();
        if (step.value == m_options.lastCounted())
            end();
    }
    /// Writes the trace, if there is one.
    void finish()
    {
        if (m_profile)
            m_profile->save(m_options.profile);
        m_profile.reset();
    }

    double startSeconds = 0;
    double wallSeconds = 0;
    double processor = 0;

private:
    void begin()
    {
        m_began = Clock::now();
        m_processorThen = processorSeconds();
    }
    void end()
    {
        wallSeconds = std::chrono::duration<double>(Clock::now() - m_began).count();
        processor = processorSeconds() - m_processorThen;
        if (m_traces)
            m_profile.emplace();
    }

    const BenchOptions& m_options;
    const bool m_traces;
    const Clock::time_point m_created = Clock::now();
    Clock::time_point m_began{};
    double m_processorThen = 0;
    std::optional<StepProfile> m_profile;
};

BenchMemory memoryAtTheEnd(const BenchRun& run, const std::vector<StepRecord>& steps,
                           const DeviceSession* session)
{
    BenchMemory memory;
    for (const StepRecord& step : steps) {
        memory.tensors = std::max(memory.tensors, step.ranks.front().peakTotal);
        memory.resident = std::max(memory.resident, step.ranks.front().residentSet);
    }
    RunSpec planned = run.spec;
    planned.launch.device = session ? DeviceKind::Cuda : DeviceKind::Cpu;
    memory.planned = estimateMemory(planned, run.shape).total();
    if (!session)
        return memory;
    const auto stats = c10::getDeviceAllocator(c10::DeviceType::CUDA)->getDeviceStats(0);
    memory.allocated = static_cast<Bytes>(stats.allocated_bytes[0].peak);
    memory.reserved = static_cast<Bytes>(stats.reserved_bytes[0].peak);
    return memory;
}

} // namespace

Result<BenchRun> benchRunOf(const BenchOptions& options, int ranks, const fs::path& dataset)
{
    BenchRun run{tinySpec(dataset, 1, *enumFromName<ComputeType>(options.compute)), {}};
    RunSpec& spec = run.spec;
    spec.model = modelPreset(options.model).value_or(benchModel(options.model));
    run.shape = shapeOf(options, spec.model);
    TRAINYARD_TRY_STATUS(fits(spec.model, run.shape));
    spec.model.dropout = options.dropout;
    spec.model.attentionDropout = options.attentionDropout;
    spec.optimizer.kind = *enumFromName<OptimizerKind>(options.optimizer);
    spec.cluster.nodes.front().slotCount = ranks;
    spec.layout = ParallelLayout{.data = ranks};
    spec.batch = {options.micro * options.accumulation * ranks, options.micro, options.accumulation};
    spec.memory.zeroStage = options.zeroStage;
    spec.memory.recompute = *enumFromName<RecomputeKind>(options.recompute);
    spec.memory.offloadActivations = options.offloadsActivations;
    spec.memory.offloadOptimizer = options.offloadsOptimizer;
    spec.memory.offloadParameters = options.offloadsParameters;
    spec.launch.steps = options.steps;
    return run;
}

Status writeRowsOf(const BenchRun& run)
{
    constexpr std::uint64_t kTokens = 256'000;
    const auto global = static_cast<std::uint64_t>(run.spec.batch.global);
    const auto length = static_cast<std::uint64_t>(run.shape.length);
    return writeDataset(run.spec.dataset.path, {.rows = std::max(kTokens / length, 2 * global),
                                                .length = run.shape.length,
                                                .predictions = run.shape.maxPredictions,
                                                .vocabulary = run.spec.model.vocabulary,
                                                .full = true});
}

Measurement measure(const BenchRun& run, const BenchOptions& options, GroupMaker& maker, ProcessGroup& world,
                    DeviceSession* session, const fs::path& folder)
{
    std::unique_ptr<StepJournal> journal;
    if (world.isFirst())
        journal = StepJournal::open(folder / "journal", 1).value();
    StepWatch watch(options, world.isFirst() && !options.profile.empty());
    const auto trainer = Trainer::create({.spec = run.spec,
                                          .directory = RunDirectory(folder),
                                          .maker = session ? session->maker() : maker,
                                          .world = world,
                                          .memory = AccountingAllocator::install(),
                                          .journal = journal.get(),
                                          .device = session ? session->device() : Device(),
                                          .deviceMemory = session ? &session->memory() : nullptr,
                                          .deviceTimer = session ? &session->timer() : nullptr,
                                          .savesCheckpoints = options.savesCheckpoint,
                                          .afterStep = [&](Step step) { watch.after(step); }})
                             .value();
    const Status status = trainer->run();
    TRAINYARD_CHECK_MSG(status.ok(), status.ok() ? "" : status.error().text());
    watch.finish();
    Measurement measured;
    measured.startSeconds = watch.startSeconds;
    measured.wallSeconds = watch.wallSeconds;
    measured.processorSeconds = watch.processor;
    if (!world.isFirst())
        return measured;
    for (const StepRecord& step : stepsOf(folder)) {
        if (step.step > options.skipped && step.step <= options.lastCounted())
            measured.steps.push_back(step);
    }
    measured.memory = memoryAtTheEnd(run, measured.steps, session);
    return measured;
}

} // namespace trainyard
