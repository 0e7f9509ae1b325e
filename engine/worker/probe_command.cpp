#include "engine/worker/probe_command.h"

#include <chrono>
#include <memory>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/standard_streams.h"
#include "engine/comm/agreement.h"
#include "engine/device/device_session.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/nn/cpu_math.h"
#include "engine/planner/calibration/probe_json.h"
#include "engine/probes/host_facts.h"
#include "engine/probes/probe_run.h"
#include "engine/records/buffered_journal_writer.h"
#include "engine/spec/spec_json.h"
#include "engine/training/run_directory.h"
#include "engine/worker/final_event_writer.h"
#include "engine/worker/rank_device.h"
#include "engine/worker/rank_log.h"
#include "engine/worker/rank_process.h"

namespace trainyard {

namespace {

using SteadyClock = std::chrono::steady_clock;

/// The stream "probe" of rank 0.
class ProbeJournal {
public:
    static Result<std::unique_ptr<ProbeJournal>> open(const ProbeOptions& options)
    {
        TRAINYARD_TRY(BufferedJournalWriter journal,
                      BufferedJournalWriter::open(RunDirectory(options.runDirectory).journals(), "probe",
                                                  options.attempt));
        return std::unique_ptr<ProbeJournal>(new ProbeJournal(std::move(journal)));
    }

    /// Probes take about equally long.
    void tell(std::size_t done, std::size_t all)
    {
        const double seconds = std::chrono::duration<double>(SteadyClock::now() - m_start).count();
        ProgressRecord record{.stage = "probe", .done = done, .total = all, .unit = "probes", .counters = {}};
        if (done > 0) {
            record.rate = static_cast<double>(done) / seconds;
            record.secondsLeft = static_cast<double>(all - done) / record.rate;
        }
        if (const Status written = m_journal.append(record); !written.ok())
            logLine(written.error().text());
    }

private:
    explicit ProbeJournal(BufferedJournalWriter journal) : m_journal(std::move(journal)) {}

    BufferedJournalWriter m_journal;
    const SteadyClock::time_point m_start = SteadyClock::now();
};

/// What a rank opens before it knows whether the others could do the same.
struct RankInput {
    RunSpec spec;
    std::unique_ptr<ProbeJournal> journal; ///< on rank 0

    static Result<RankInput> open(const ProbeOptions& options, Rank rank)
    {
        RankInput input;
        TRAINYARD_TRY(input.spec, loadSpec(options.runDirectory / "probe.json"));
        if (rank.value == 0) {
            TRAINYARD_TRY(input.journal, ProbeJournal::open(options));
        }
        return input;
    }
};

/// The share of a host's memory that a rank has of it stands for its device's where the processor is that.
Result<ProbedHardware> hardwareOf(const std::optional<GpuPlugin>& plugin, const ClusterSpec& cluster)
{
    ProbedHardware hardware;
    hardware.hostMemory = physicalMemory();
    if (plugin) {
        TRAINYARD_TRY(const GpuPlugin::Traits traits, plugin->traits());
        hardware.device = traits.name;
        hardware.deviceMemory = traits.memory;
        hardware.processors = traits.processors;
        return hardware;
    }
    int mostRanks = 1;
    for (const NodeSpec& node : cluster.nodes)
        mostRanks = std::max(mostRanks, node.slotCount);
    hardware.device = processorName();
    hardware.math = processorMathHere();
    hardware.deviceMemory = hardware.hostMemory / static_cast<Bytes>(mostRanks);
    return hardware;
}

Status probe(const ProbeOptions& options, const RankInput& input, GroupMaker& maker, ProcessGroup& world,
             FinalEventWriter& finalEventWriter)
{
    TRAINYARD_TRY(const OpenedDevice device, openRankDevice(input.spec.launch.device, world));
    const std::optional<GpuPlugin>& plugin = device.plugin;
    configureAllocator();
    at::set_num_threads(input.spec.launch.threadsPerRank);
    logLine(plugin ? plugin->text() : configureCpuMath().text());
    AccountingAllocator::install();
    const auto hardware = hardwareOf(plugin, input.spec.cluster);
    TRAINYARD_TRY_STATUS(agree(world, hardware.ok() ? Status() : hardware.error()));
    std::optional<DeviceSession> session;
    if (plugin)
        session.emplace(*plugin, maker, endOfRank(finalEventWriter), input.spec.launch.collectiveTimeout);
    const auto tell = [&](std::size_t done, std::size_t all, const Probe& next) {
        logLine(next.text());
        if (input.journal)
            input.journal->tell(done, all);
    };
    const ProbeReport report = runProbes({.spec = input.spec,
                                          .maker = session ? session->maker() : maker,
                                          .world = world,
                                          .device = session ? session->device() : Device(),
                                          .hardware = *hardware,
                                          .onProgress = tell});
    const Status written = world.isFirst()
                               ? writeFileAtomically(options.runDirectory / "probes.json", toJson(report))
                               : Status();
    return agree(world, written);
}

/// From the start of MPI to its end. Every rank returns the same error.
Status runRank(const ProbeOptions& options, FinalEventWriter& finalEventWriter)
{
    TRAINYARD_TRY(const auto process, RankProcess::start());
    const auto world = process->makeWorld();
    const auto input = RankInput::open(options, process->rank());
    Status status = agree(*world, input.ok() ? Status() : input.error());
    if (status.ok()) {
        process->setThreads(input->spec.launch.threadsPerRank);
        status = probe(options, *input, *process, *world, finalEventWriter);
    }
    if (!status.ok())
        finalEventWriter.say("probe-failed", status.error().text());
    world->barrier(); // the first rank that leaves with an error makes the launcher kill the others
    return status;
}

} // namespace

int runProbe(const ProbeOptions& options)
{
    const Rank rank = MpiProcess::launchedRank();
    const auto log = RankLog::redirect(
        RunDirectory(options.runDirectory).log(rank),
        fmt::format("trainyard-worker {} probe, rank {} pid {}", TRAINYARD_VERSION, rank.value, ::getpid()));
    if (!log.ok()) {
        printError("trainyard-worker", log.error().in(fmt::format("rank {}", rank.value)));
        return exitStatus(log.error().kind);
    }
    FinalEventWriter finalEventWriter(rank, *log);
    const Status status = runRank(options, finalEventWriter);
    if (status.ok())
        return 0;
    if (rank.value == 0)
        log->tellTerminal("trainyard-worker: " + status.error().text());
    return exitStatus(status.error().kind);
}

} // namespace trainyard
