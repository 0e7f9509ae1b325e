#include "remote/agent/sampler/sampler.h"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "engine/base/clock.h"
#include "remote/agent/host/detach.h"
#include "remote/agent/host/machine.h"
#include "remote/agent/host/process_table.h"
#include "remote/agent/runs/recovery.h"
#include "remote/agent/runs/run_status.h"
#include "remote/agent/sampler/gpu_feed.h"
#include "remote/agent/sampler/host_load.h"
#include "remote/agent/sampler/nvlink_feed.h"

namespace trainyard::agent {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPredecessor{5}; ///< for a sampler of the attempt before to notice its end
constexpr std::chrono::seconds kLookForProcesses{3};
constexpr std::chrono::seconds kGoneForAWhile{15};
constexpr std::chrono::minutes kNeverCame{10};
constexpr Bytes kLowDisk = 64 * kMiB;
constexpr std::uint64_t kThinned = 10; ///< one of so many samples is written while the disk is low

Result<std::optional<LockFile>> acquireAfterPredecessor(const std::filesystem::path& path)
{
    const auto deadline = SteadyClock::now() + kPredecessor;
    for (;;) {
        auto lock = LockFile::tryAcquire(path);
        if (!lock.ok() || *lock || SteadyClock::now() >= deadline)
            return lock;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
}

} // namespace

Result<std::unique_ptr<Sampler>> Sampler::start(const RunFolder& folder, const SamplerOptions& options)
{
    TRAINYARD_TRY(auto lock, acquireAfterPredecessor(folder.samplerLock(options.node)));
    if (!lock)
        return std::unique_ptr<Sampler>();
    TRAINYARD_TRY(BufferedJournalWriter journal,
                  BufferedJournalWriter::open(folder.journal(), "node-" + std::to_string(options.node),
                                              options.attempt));
    return std::unique_ptr<Sampler>(new Sampler(folder, options, std::move(*lock), std::move(journal)));
}

Sampler::Sampler(RunFolder folder, const SamplerOptions& options, LockFile lock,
                 BufferedJournalWriter journal)
    : m_folder(std::move(folder))
    , m_options(options)
    , m_lock(std::move(lock))
    , m_journal(std::move(journal))
    , m_lastSeen(SteadyClock::now())
{
}

void Sampler::run()
{
    HostLoad host;
    GpuFeed gpus(m_options.interval);
    NvlinkFeed links;
    auto next = SteadyClock::now();
    while (!isOver()) {
        const DeviceSample machine = host.sample(m_folder.path());
        watchDisk(machine.diskFree);
        watchClock();
        const bool wanted = !m_diskIsLow || m_round++ % kThinned == 0;
        if (wanted)
            write(machine);
        links.look();
        for (DeviceSample gpu : gpus.take()) {
            gpu.diskFree = machine.diskFree;
            links.addTo(gpu);
            if (wanted)
                write(gpu);
        }
        // After a pause of this process (a stopped machine) it goes on from now, not with all that it missed.
        next = std::max(next + m_options.interval, SteadyClock::now());
        std::this_thread::sleep_until(next);
    }
}

bool Sampler::isOver()
{
    if (!m_folder.exists())
        return true;
    const auto status = readStatus(m_folder);
    if (status && status->attempt >= m_options.attempt && isFinal(status->state))
        return true;
    if (status && status->attempt > m_options.attempt) { // the supervisor goes on with it
        m_options.attempt = status->attempt;
        m_journal.beginAttempt(status->attempt);
    }
    const auto now = SteadyClock::now();
    if (now >= m_nextLook) {
        m_nextLook = now + kLookForProcesses;
        if (isSupervised(m_folder) || !processesWithEnvironment(m_folder.marker()).empty()) {
            m_everSeen = true;
            m_lastSeen = now;
        }
    }
    return now - m_lastSeen >
           (m_everSeen ? std::chrono::seconds(kGoneForAWhile) : std::chrono::seconds(kNeverCame));
}

/// Samples give way to losses and states before the disk is full.
void Sampler::watchDisk(Bytes free)
{
    const bool low = free < kLowDisk;
    if (low == m_diskIsLow)
        return;
    m_diskIsLow = low;
    const std::string what =
        low ? fmt::format("only {} free on the disk of the run directory: logging pauses and samples become "
                          "less frequent until space is freed",
                          formatBytes(free))
            : fmt::format("{} free again on the disk of the run directory", formatBytes(free));
    logFailure(m_journal.append(
        EventRecord{low ? Severity::Warning : Severity::Info, low ? "disk-low" : "disk-fine", what, {}, 0}));
}

void Sampler::watchClock()
{
    const auto moved = m_clock.look(systemClock().now());
    if (!moved)
        return;
    const auto size = moved->count() < 0 ? -*moved : *moved;
    logFailure(m_journal.append(
        EventRecord{Severity::Warning,
                    "clock-set",
                    fmt::format("the clock of {} moved {} by {}; times before and after are not comparable, "
                                "but the order of records is unaffected",
                                hostName(), moved->count() < 0 ? "back" : "forward", formatDuration(size)),
                    {},
                    0}));
}

void Sampler::write(const DeviceSample& sample)
{
    logFailure(m_journal.append(sample, BufferedJournalWriter::Worth::Sample));
}

} // namespace trainyard::agent
