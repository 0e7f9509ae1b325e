#include "engine/worker/train_command.h"

#include <unistd.h>

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "engine/comm/agreement.h"
#include "engine/comm/flight_recorder.h"
#include "engine/comm/gpu_plugin.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/nn/cpu_math.h"
#include "engine/spec/spec_json.h"
#include "engine/training/step_journal.h"
#include "engine/training/trainer.h"
#include "engine/worker/last_word.h"
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

    static Result<RankFiles> open(const RunDirectory& directory, std::uint32_t attempt,
                                  const GroupMaker& process)
    {
        RankFiles files;
        TRAINYARD_TRY(files.spec, loadSpec(directory.spec()));
        TRAINYARD_TRY(files.recorder,
                      FlightRecorder::create(flightRingPath(directory.root(), process.rank().value),
                                             {process.rank(), process.worldSize(), attempt}));
        if (process.rank().value == 0) {
            TRAINYARD_TRY(files.journal, StepJournal::open(directory.journals(), attempt));
        }
        return files;
    }
};

void configureMath(const LaunchSpec& launch)
{
    configureAllocator();
    at::set_num_threads(launch.threadsPerRank);
    logLine(configureCpuMath().text());
}

/// For the person who reads the log: what this node has, and that it is not used.
void logGpus()
{
    const auto plugin = GpuPlugin::open();
    if (!plugin.ok()) {
        logLine(plugin.error().text());
        return;
    }
    for (const GpuMemory& gpu : *plugin ? (*plugin)->memory() : std::vector<GpuMemory>())
        logLine(fmt::format("a GPU has {} free of {}; this version trains on the processor",
                            formatBytes(gpu.free), formatBytes(gpu.total)));
}

Status train(const TrainOptions& options, const RankFiles& files, GroupMaker& maker, ProcessGroup& world,
             const StopFlag* stopFlag)
{
    configureMath(files.spec.launch);
    logGpus();
    const TrainerSetup setup{.spec = files.spec,
                             .directory = RunDirectory(options.runDirectory),
                             .maker = maker,
                             .world = world,
                             .memory = AccountingAllocator::install(),
                             .recorder = files.recorder.get(),
                             .journal = files.journal.get(),
                             .stopFlag = stopFlag,
                             .lastStep = options.lastStep};
    TRAINYARD_TRY(const auto trainer, Trainer::create(setup));
    logLine(fmt::format("training from step {}", trainer->step().value + 1));
    return trainer->run();
}

/// From the start of MPI to its end. Every rank returns the same error.
Status runRank(const TrainOptions& options, LastWord& lastWord, const StopFlag* stopFlag)
{
    TRAINYARD_TRY(const auto process, RankProcess::start());
    const auto files = RankFiles::open(RunDirectory(options.runDirectory), options.attempt, *process);
    process->setRecorder(files.ok() ? files->recorder.get() : nullptr);
    const auto world = process->makeWorld();
    lastWord.attach(files.ok() ? files->journal.get() : nullptr);
    Status status = agree(*world, files.ok() ? Status() : files.error());
    if (status.ok())
        status = train(options, *files, *process, *world, stopFlag);
    if (!status.ok() && status.error().kind != ErrorKind::Cancelled)
        lastWord.say("run-failed", status.error().text());
    world->barrier(); // the first rank that leaves with an error makes the launcher kill the others
    lastWord.attach(nullptr);
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
        fmt::print(stderr, "trainyard-worker: rank {}: {}\n", rank.value, log.error().text());
        return exitStatus(log.error().kind);
    }
    LastWord lastWord(rank, *log);
    const StopSignals signals([&lastWord](const char* signal) {
        lastWord.note("stop-signal", fmt::format("{} arrived; stopping after this step", signal));
    });
    const Status status = runRank(options, lastWord, signals.flag());
    if (status.ok())
        return 0;
    if (rank.value == 0)
        log->tellTerminal("trainyard-worker: " + status.error().text());
    return exitStatus(status.error().kind);
}

} // namespace trainyard
