#include "engine/worker/final_event_writer.h"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <unistd.h>

#include <c10/util/Exception.h>
#include <fmt/format.h>

#include "engine/comm/mpi_process.h"
#include "engine/training/step_journal.h"
#include "engine/worker/rank_log.h"

namespace trainyard {

namespace {

/// Signal handlers and std::terminate have no other way to reach it.
struct Witness {
    int rank = 0;
    const RankLog* log = nullptr;
    std::atomic<StepJournal*> journal{nullptr};
    std::atomic<bool> spoken{false};
};
Witness witness;

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

std::string describeCurrentException()
{
    try {
        if (const auto exception = std::current_exception())
            std::rethrow_exception(exception);
        return "std::terminate was called";
    } catch (const c10::Error& error) {
        return error.what_without_backtrace();
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "an exception of unknown type";
    }
}

[[noreturn]] void onTerminate()
{
    const std::string what = describeCurrentException();
    speak("worker-exception", what);
    if (witness.log)
        witness.log->tellTerminal(fmt::format("trainyard-worker: rank {}: {}", witness.rank, what));
    MpiProcess::abort(exitStatus(ErrorKind::Failed));
}

/// abort() is mostly called on purpose, by a broken invariant, so the heap can still be used for a last
/// event. Should that hang after all, because the heap itself is broken or somebody else sent the signal, the
/// alarm ends the process.
void onAbort(int)
{
    ::alarm(5);
    if (!witness.spoken.exchange(true)) {
        writeLine("error: a broken invariant stopped the worker\n");
        tellJournal("worker-aborted",
                    "a broken invariant stopped the worker; the previous line of its log names it");
    }
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
    std::signal(SIGABRT, &onAbort);
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
    speak(kind, message);
}

} // namespace trainyard
