#include "datasets/job/job_watch.h"

#include <array>
#include <csignal>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "engine/base/resident_set.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr int kTicksPerShow = 5;
constexpr int kTickMs = 100;

sigset_t stopSignals()
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    return signals;
}

FileDescriptor openStopSignals()
{
    const sigset_t signals = stopSignals();
    return FileDescriptor(::signalfd(-1, &signals, SFD_CLOEXEC));
}

bool sameFigures(const ProgressRecord& a, const ProgressRecord& b)
{
    return a.done == b.done && a.total == b.total && a.counters == b.counters;
}

ProgressRecord memoryUse()
{
    ProgressRecord record;
    record.stage = kMemoryStage;
    record.unit = "B";
    record.done = residentSetBytes();
    return record;
}

/// The folder itself or the nearest one above that is there.
fs::path existing(fs::path folder)
{
    std::error_code ignored;
    while (folder.has_relative_path() && !fs::exists(folder, ignored))
        folder = folder.parent_path();
    return folder;
}

std::optional<ProgressRecord> roomOnDisk(const fs::path& folder)
{
    std::error_code error;
    const fs::space_info space = fs::space(existing(fs::absolute(folder, error)), error);
    if (folder.empty() || error)
        return std::nullopt;
    ProgressRecord record;
    record.stage = kDiskStage;
    record.unit = "B";
    record.done = space.available;
    return record;
}

EventRecord lastWord(const Status& outcome)
{
    if (outcome.ok())
        return {Severity::Info, "prepare-finished", "the data set is published", std::nullopt, 0};
    if (outcome.error().kind == ErrorKind::Cancelled)
        return {Severity::Warning, "prepare-cancelled", outcome.error().text(), std::nullopt, 0};
    return {Severity::Error, "prepare-failed", outcome.error().text(), std::nullopt, 0};
}

} // namespace

void blockStopSignals()
{
    const sigset_t signals = stopSignals();
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

JobWatch::JobWatch(Progress& progress, CancelFlag& cancel, std::unique_ptr<ProgressSink> sink,
                   std::optional<std::filesystem::path> stopFile, std::filesystem::path folder)
    : m_progress(progress)
    , m_cancel(cancel)
    , m_sink(std::move(sink))
    , m_stopFile(std::move(stopFile))
    , m_folder(std::move(folder))
    , m_signals(openStopSignals())
    , m_end(::eventfd(0, EFD_CLOEXEC))
    , m_thread([this] { run(); })
{
}

JobWatch::~JobWatch()
{
    endThread();
}

void JobWatch::end(const Status& outcome)
{
    endThread();
    showChanges();
    m_sink->finish(lastWord(outcome));
}

void JobWatch::endThread()
{
    if (!m_thread.joinable())
        return;
    ::eventfd_write(m_end.get(), 1);
    m_thread.join();
}

void JobWatch::run()
{
    Wake wake{};
    for (int tick = 1; (wake = wait()) != Wake::Ended; ++tick) {
        if (wake == Wake::Interrupted || stopFileExists())
            m_cancel.set();
        else if (wake == Wake::Terminated)
            m_cancel.setForLater();
        if (tick % kTicksPerShow == 0)
            showChanges();
    }
}

JobWatch::Wake JobWatch::wait() const
{
    std::array<pollfd, 2> files{{{m_end.get(), POLLIN, 0}, {m_signals.get(), POLLIN, 0}}};
    ::poll(files.data(), files.size(), kTickMs);
    if ((files[0].revents & POLLIN) != 0)
        return Wake::Ended;
    signalfd_siginfo signal;
    const bool signalled =
        (files[1].revents & POLLIN) != 0 && ::read(m_signals.get(), &signal, sizeof signal) == sizeof signal;
    if (!signalled)
        return Wake::Tick;
    return signal.ssi_signo == SIGTERM ? Wake::Terminated : Wake::Interrupted;
}

bool JobWatch::stopFileExists() const
{
    std::error_code ignored;
    return m_stopFile && std::filesystem::exists(*m_stopFile, ignored);
}

void JobWatch::showChanges()
{
    for (const EventRecord& event : m_progress.takeEvents())
        m_sink->event(event);
    std::vector<ProgressRecord> changed;
    for (ProgressRecord& stage : m_progress.snapshot()) {
        ProgressRecord& shown = m_shown[stage.stage];
        if (sameFigures(shown, stage))
            continue;
        shown = stage;
        changed.push_back(std::move(stage));
    }
    if (changed.empty())
        return;
    changed.push_back(memoryUse());
    if (auto disk = roomOnDisk(m_folder))
        changed.push_back(std::move(*disk));
    m_sink->show(changed);
}

} // namespace trainyard
