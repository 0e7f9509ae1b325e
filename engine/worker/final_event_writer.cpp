#include "engine/worker/final_event_writer.h"

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <functional>
#include <future>
#include <system_error>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "engine/comm/mpi_process.h"
#include "engine/training/step_journal.h"
#include "engine/worker/failure.h"
#include "engine/worker/rank_log.h"

namespace trainyard {

namespace {

/// Signal handlers and std::terminate have no other way to reach it.
struct Witness {
    int rank = 0;
    const RankLog* log = nullptr;
    std::atomic<StepJournal*> journal{nullptr};
    std::atomic<bool> spoken{false};
    std::atomic<std::thread::id> ending{}; ///< the thread that ends the process
};
Witness witness;

constexpr std::chrono::seconds kLastWord{20};

[[noreturn]] void waitForTheEnd()
{
    for (;;)
        ::pause();
}

/// Returns on the first thread that calls it; the others stay.
void claimTheEnd()
{
    std::thread::id nobody;
    if (!witness.ending.compare_exchange_strong(nobody, std::this_thread::get_id()) &&
        nobody != std::this_thread::get_id())
        waitForTheEnd();
}

bool endsElsewhere()
{
    const std::thread::id ending = witness.ending;
    return ending != std::thread::id() && ending != std::this_thread::get_id();
}

void tellJournal(const char* kind, const std::string& message)
{
    if (StepJournal* journal = witness.journal.load()) {
        journal->event(Severity::Error, kind, message, 0, witness.rank);
        if (const Status synced = journal->sync(); !synced.ok())
            logLine(synced.error().text());
    }
}

void speak(const char* kind, const std::string& message)
{
    // The first word is the cause; what follows it (a broken group, an abort) are consequences.
    if (witness.spoken.exchange(true))
        return;
    logLine("error: " + message);
    tellJournal(kind, message);
}

/// Safe in any signal handler.
template <std::size_t Size>
void writeLine(const char (&text)[Size])
{
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, Size - 1);
}

void withinTheLastWord(const std::function<void()>& task)
{
    try {
        std::packaged_task<void()> packaged(task);
        const std::future<void> done = packaged.get_future();
        std::thread(std::move(packaged)).detach();
        done.wait_for(kLastWord);
    } catch (const std::system_error&) { // no thread left
        task();
    }
}

void beginToEnd(const char* kind, const std::string& message)
{
    claimTheEnd();
    withinTheLastWord([=] { // by value: it may take longer than this function
        speak(kind, message);
        if (witness.log)
            witness.log->tellTerminal(fmt::format("trainyard-worker: rank {}: {}", witness.rank, message));
    });
}

[[noreturn]] void onTerminate()
{
    const Failure failure = failureOf(std::current_exception());
    beginToEnd("worker-exception", failure.what);
    MpiProcess::abort(exitStatus(failure.kind));
}

/// Of this process itself, in checkFailed() or the C library.
bool isOurs(const siginfo_t& signal)
{
    return signal.si_code == SI_TKILL && signal.si_pid == ::getpid();
}

/// abort() is mostly called on purpose, by a broken invariant, so the heap can still be used for a last
/// event. Should that hang after all, because the heap itself is broken or somebody else sent the signal, the
/// alarm ends the process.
void onAbort(int, siginfo_t* signal, void*)
{
    claimTheEnd();
    ::alarm(5);
    if (!witness.spoken.exchange(true)) {
        writeLine("error: a broken invariant stopped the worker\n");
        tellJournal("worker-aborted",
                    "a broken invariant stopped the worker; the previous line of its log names it");
    }
    if (isOurs(*signal))
        MpiProcess::abort(exitStatus(ErrorKind::Failed));
    std::signal(SIGABRT, SIG_DFL);
    ::raise(SIGABRT);
}

/// After a memory fault nothing but write(2) is safe.
void onFault(int signal)
{
    writeLine("error: the worker was ended by a memory or arithmetic fault\n");
    std::signal(signal, SIG_DFL);
    ::raise(signal);
}

constexpr std::array kFaults{SIGSEGV, SIGBUS, SIGFPE, SIGILL};

} // namespace

FinalEventWriter::FinalEventWriter(Rank rank, const RankLog& log)
{
    witness.rank = rank.value;
    witness.log = &log;
    std::set_terminate(&onTerminate);
    struct sigaction action {};
    action.sa_sigaction = &onAbort;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGABRT, &action, nullptr);
    for (const int signal : kFaults)
        std::signal(signal, &onFault);
}

FinalEventWriter::~FinalEventWriter()
{
    witness.journal = nullptr;
    witness.log = nullptr;
    std::set_terminate(&std::abort);
    std::signal(SIGABRT, SIG_DFL);
    for (const int signal : kFaults)
        std::signal(signal, SIG_DFL);
}

void FinalEventWriter::attach(StepJournal* journal)
{
    witness.journal = journal;
}

void FinalEventWriter::note(const char* kind, const std::string& message)
{
    logLine(message);
    if (StepJournal* journal = witness.journal.load())
        journal->event(Severity::Warning, kind, message, 0, witness.rank);
}

void FinalEventWriter::say(const char* kind, const std::string& message)
{
    if (endsElsewhere())
        waitForTheEnd();
    speak(kind, message);
}

void FinalEventWriter::beginEnd(const char* kind, const std::string& message)
{
    beginToEnd(kind, message);
}

} // namespace trainyard
