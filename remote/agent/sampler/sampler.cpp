#include "remote/agent/sampler/sampler.h"

#include <algorithm>
#include <thread>

#include "remote/agent/host/machine.h"
#include "remote/agent/host/process_table.h"
#include "remote/agent/runs/recovery.h"
#include "remote/agent/runs/run_status.h"
#include "remote/agent/sampler/gpu_feed.h"
#include "remote/agent/sampler/host_load.h"

namespace trainyard::agent {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPredecessor{5}; ///< for a sampler of the attempt before to notice its end
constexpr std::chrono::seconds kLookForProcesses{3};
constexpr std::chrono::seconds kGoneForAWhile{15};
constexpr std::chrono::minutes kNeverCame{10};

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
    TRAINYARD_TRY(
        JournalWriter journal,
        JournalWriter::open(folder.journal(), "node-" + std::to_string(options.node), options.attempt));
    return std::unique_ptr<Sampler>(new Sampler(folder, options, std::move(*lock), std::move(journal)));
}

Sampler::Sampler(RunFolder folder, const SamplerOptions& options, LockFile lock, JournalWriter journal)
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
    auto next = SteadyClock::now();
    while (!isOver()) {
        const DeviceSample machine = host.sample(m_folder.path());
        write(machine);
        for (DeviceSample gpu : gpus.take()) {
            gpu.diskFree = machine.diskFree;
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
    if (status && (status->attempt > m_options.attempt ||
                   (status->attempt == m_options.attempt && isFinal(status->state))))
        return true;
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

void Sampler::write(const DeviceSample& sample)
{
    // A full disk costs samples, not the run: they come back when there is room again.
    [[maybe_unused]] const auto appended = m_journal.append(sample);
}

} // namespace trainyard::agent
