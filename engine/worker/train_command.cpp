#include "engine/worker/train_command.h"

#include <filesystem>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "engine/base/standard_streams.h"
#include "engine/comm/agreement.h"
#include "engine/comm/flight_recorder.h"
#include "engine/device/device_session.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/nn/cpu_math.h"
#include "engine/spec/elastic.h"
#include "engine/spec/layout_change.h"
#include "engine/spec/phases/phases.h"
#include "engine/spec/spec_json.h"
#include "engine/training/step_journal.h"
#include "engine/training/trainer.h"
#include "engine/worker/final_event_writer.h"
#include "engine/worker/rank_device.h"
#include "engine/worker/rank_log.h"
#include "engine/worker/rank_process.h"
#include "engine/worker/stop_signals.h"

namespace trainyard {

namespace {

/// What a rank opens before it knows whether the others could do the same.
struct RankFiles {
    RunSpec spec;
    std::unique_ptr<FlightRecorder> recorder;
    std::unique_ptr<StepJournal> journal; ///< on rank 0

    static Result<RankFiles> open(const TrainOptions& options, const GroupMaker& process)
    {
        RankFiles files;
        const RunDirectory directory(options.runDirectory);
        const std::uint32_t attempt = options.attempt;
        const Fence fence(directory.root(), attempt);
        TRAINYARD_TRY_STATUS(fence.check());
        TRAINYARD_TRY(files.spec, loadSpec(directory.spec()));
        if (!options.layout.empty()) {
            TRAINYARD_TRY(files.spec, withLayout(files.spec, options.layout));
        }
        if (options.replicas > 0) {
            TRAINYARD_TRY(files.spec, withReplicas(files.spec, options.replicas));
        }
        if (options.learningRate > 0)
            files.spec = withLearningRate(std::move(files.spec), options.learningRate);
        TRAINYARD_TRY(files.recorder,
                      FlightRecorder::create(flightRingPath(directory.root(), process.rank().value),
                                             {process.rank(), process.worldSize(), attempt}));
        if (process.rank().value == 0) {
            TRAINYARD_TRY(files.journal, StepJournal::open(directory.journals(), attempt, fence));
        }
        return files;
    }
};

/// Raises the niceness of every thread of this process, and of those that they start, to at least `niceness`.
/// POSIX has one per process, Linux one per thread: setpriority(2), "C library/kernel differences".
void raiseNiceness(int niceness)
{
    std::error_code ignored; // a thread may end meanwhile
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
        const auto id = static_cast<id_t>(std::stoul(thread.path().filename()));
        if (::getpriority(PRIO_PROCESS, id) < niceness)
            ::setpriority(PRIO_PROCESS, id, niceness);
    }
    logLine(fmt::format("niceness {}", ::getpriority(PRIO_PROCESS, 0)));
}

Status train(const TrainOptions& options, const RankFiles& files, GroupMaker& maker, ProcessGroup& world,
             FinalEventWriter& finalEventWriter, const StopFlag* stopFlag)
{
    if (files.spec.launch.nice > 0)
        raiseNiceness(files.spec.launch.nice);
    TRAINYARD_TRY(const OpenedDevice device, openRankDevice(files.spec.launch.device, world));
    if (files.journal)
        writeDevices(*files.journal, device);
    const std::optional<GpuPlugin>& plugin = device.plugin;
    configureAllocator();
    at::set_num_threads(files.spec.launch.threadsPerRank);
    logLine(plugin ? plugin->text() : configureCpuMath().text());
    AccountingAllocator& memory = AccountingAllocator::install();
    std::optional<DeviceSession> session;
    if (plugin)
        session.emplace(*plugin, maker, endOfRank(finalEventWriter), files.spec.launch.collectiveTimeout);
    const TrainerSetup setup{.spec = files.spec,
                             .directory = RunDirectory(options.runDirectory),
                             .maker = session ? session->maker() : maker,
                             .world = world,
                             .memory = memory,
                             .recorder = files.recorder.get(),
                             .journal = files.journal.get(),
                             .fence = Fence(options.runDirectory, options.attempt),
                             .stopFlag = stopFlag,
                             .lastStep = options.lastStep,
                             .device = session ? session->device() : Device(),
                             .deviceMemory = session ? &session->memory() : nullptr,
                             .deviceTimer = session ? &session->timer() : nullptr};
    TRAINYARD_TRY(const auto trainer, Trainer::create(setup));
    logLine(fmt::format("training from step {}", trainer->step().value + 1));
    return trainer->run();
}

/// From the start of MPI to its end. Every rank returns the same error.
Status runRank(const TrainOptions& options, FinalEventWriter& finalEventWriter, const StopFlag* stopFlag)
{
    TRAINYARD_TRY(const auto process, RankProcess::start());
    const auto files = RankFiles::open(options, *process);
    process->setRecorder(files.ok() ? files->recorder.get() : nullptr);
    const auto world = process->makeWorld();
    finalEventWriter.attach(files.ok() ? files->journal.get() : nullptr);
    Status status = agree(*world, files.ok() ? Status() : files.error());
    if (status.ok()) {
        process->setThreads(files->spec.launch.threadsPerRank);
        status = train(options, *files, *process, *world, finalEventWriter, stopFlag);
    }
    if (!status.ok() && status.error().kind != ErrorKind::Cancelled)
        finalEventWriter.say("run-failed", status.error().text());
    world->barrier(); // the first rank that leaves with an error makes the launcher kill the others
    finalEventWriter.attach(nullptr);
    return status;
}

} // namespace

int runTrain(const TrainOptions& options)
{
    const Rank rank = MpiProcess::launchedRank();
    const auto log =
        RankLog::redirect(RunDirectory(options.runDirectory).log(rank),
                          fmt::format("trainyard-worker {} rank {} pid {} attempt {}", TRAINYARD_VERSION,
                                      rank.value, ::getpid(), options.attempt));
    if (!log.ok()) {
        printError("trainyard-worker", log.error().in(fmt::format("rank {}", rank.value)));
        return exitStatus(log.error().kind);
    }
    FinalEventWriter finalEventWriter(rank, *log);
    const StopSignals signals([&finalEventWriter](const char* signal) {
        finalEventWriter.note("stop-signal", fmt::format("{} received; stopping after this step", signal));
    });
    const Status status = runRank(options, finalEventWriter, signals.flag());
    if (status.ok())
        return 0;
    if (rank.value == 0)
        log->tellTerminal("trainyard-worker: " + status.error().text());
    return exitStatus(status.error().kind);
}

} // namespace trainyard
