// Stands in for trainyard-worker where only the agent is tested. TRAINYARD_FAKE says what it does, and
// TRAINYARD_FAKE_RANK which rank does it; the other ranks train for ever.
//   train          steps of 20 ms, from the newest checkpoint on, until control/stop appears (status 130) or
//                  spec.json's steps are done; keeps a checkpoint when control/checkpoint appears
//   unheard        trains, but after three steps only its flight ring tells: the journal cannot be written
//   saving         trains, but is at a checkpoint from the third step on until control/saved appears
//   early          trains, and finishes after three steps as if they had reached a target
//   partial        trains, but on fewer replicas it says that its checkpoint is not complete (status 4)
//   fail           says why and ends with status 5
//   crash          dies by a signal
//   greedy         trains, and takes a MiB of memory at every step, a GiB at most
//   stubborn       ignores requests and SIGTERM
//   family         leaves a child in a session of its own, which ignores SIGTERM, and trains
//   disguised      as family, but the child has an empty environment
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <thread>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/records/flight_ring.h"
#include "engine/records/journal.h"
#include "tests/support/checkpoint/small_checkpoint.h"

using namespace trainyard;

namespace {

void sleepMs(int milliseconds)
{
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

/// As its name says.
int newestCheckpoint(const std::filesystem::path& run)
{
    const auto name = readFile(run / "checkpoints" / "latest");
    return name.ok() ? std::stoi(name->substr(std::string("step-").size())) : 0;
}

Status keepCheckpoint(const std::filesystem::path& run, int step)
{
    std::filesystem::remove(run / "control" / "checkpoint");
    return publishSmallCheckpoint(run / "checkpoints", step);
}

/// As a worker's ring of one collective, which it never enters.
void writeRing(const std::filesystem::path& run, int rank, std::uint32_t attempt, Activity activity, int step)
{
    FlightRingHeader header{};
    std::memcpy(header.magic, "TYRING01", sizeof header.magic);
    header.capacity = 1;
    header.rank = rank;
    header.worldSize = 1;
    header.pid = ::getpid();
    header.attempt = attempt;
    header.activity = static_cast<std::uint32_t>(activity);
    header.step = step;
    std::string ring(sizeof header + sizeof(FlightRingSlot), '\0');
    std::memcpy(ring.data(), &header, sizeof header);
    const FileDescriptor file(::open(flightRingPath(run, rank).c_str(), O_WRONLY | O_CREAT, 0644));
    (void)!::pwrite(file.get(), ring.data(), ring.size(), 0);
}

constexpr int kStepsBeforeTrouble = 3;
constexpr std::size_t kMiB = 1024 * 1024;

/// False when the step stays out of the journal.
bool tellsAfterTrouble(const std::string& how, const std::filesystem::path& run, int rank,
                       std::uint32_t attempt, int step)
{
    if (how == "unheard")
        writeRing(run, rank, attempt, Activity::Forward, step);
    if (how != "saving")
        return how != "unheard";
    writeRing(run, rank, attempt, Activity::Checkpoint, step);
    while (!std::filesystem::exists(run / "control" / "saved"))
        sleepMs(20);
    return true;
}

EventRecord targetReached(int step)
{
    return {Severity::Info,
            "training-finished",
            "held-out loss 2 at step 3 reaches evaluation.target 2.5",
            {},
            step};
}

/// As a worker whose checkpoint has parts on hosts that take no part.
int lackHosts(const std::filesystem::path& run, std::uint32_t attempt)
{
    auto journal = JournalWriter::open(run / "journal", "steps", attempt).value();
    const EventRecord event{Severity::Error, "run-failed", "the checkpoint is not complete", {}, 0};
    return journal.append(event).ok() ? exitStatus(ErrorKind::Unreachable) : 5;
}

int train(const std::string& how, const std::filesystem::path& run, std::uint32_t attempt, int rank)
{
    const auto spec = nlohmann::json::parse(readFile(run / "spec.json").value());
    const int steps = spec["launch"]["steps"];
    std::optional<JournalWriter> journal;
    if (rank == 0)
        journal = JournalWriter::open(run / "journal", "steps", attempt).value();
    std::string memory;
    for (int step = newestCheckpoint(run) + 1; step <= steps; ++step) {
        sleepMs(20);
        if (how == "greedy" && memory.size() < 1024 * kMiB)
            memory.append(kMiB, 'm');
        StepRecord record;
        record.step = step;
        const bool isTold = step <= kStepsBeforeTrouble || tellsAfterTrouble(how, run, rank, attempt, step);
        if (journal && isTold && !journal->append(record).ok())
            return 5;
        if (journal && std::filesystem::exists(run / "control" / "checkpoint") &&
            !keepCheckpoint(run, step).ok())
            return 5;
        if (how == "early" && step == kStepsBeforeTrouble)
            return journal && !journal->append(targetReached(step)).ok() ? 5 : 0;
        if (std::filesystem::exists(run / "control" / "stop"))
            return 130;
    }
    return 0;
}

/// A grandchild that nobody waits for.
void leaveChild(bool disguised)
{
    if (::fork() != 0)
        return;
    ::setsid();
    if (::fork() != 0)
        ::_exit(0);
    ::signal(SIGTERM, SIG_IGN);
    char name[] = "sleep";
    char duration[] = "300";
    char* arguments[] = {name, duration, nullptr};
    char* nothing[] = {nullptr};
    if (disguised)
        ::execve("/bin/sleep", arguments, nothing);
    ::execv("/bin/sleep", arguments);
}

int behave(const std::string& what, const std::filesystem::path& run, std::uint32_t attempt, int rank,
           bool isReduced)
{
    if (what == "partial" && isReduced)
        return lackHosts(run, attempt);
    if (what == "fail") {
        std::fprintf(stderr, "error: the loss is not finite at step 3\n");
        return 5;
    }
    if (what == "crash") {
        ::signal(SIGSEGV, SIG_DFL);
        ::raise(SIGSEGV);
    }
    if (what == "stubborn") {
        ::signal(SIGTERM, SIG_IGN);
        for (;;)
            sleepMs(1000);
    }
    if (what == "family" || what == "disguised")
        leaveChild(what == "disguised");
    return train(what, run, attempt, rank);
}

std::string variable(const char* name, const char* otherwise)
{
    const char* value = std::getenv(name);
    return value ? value : otherwise;
}

} // namespace

int main(int argc, char** argv)
{
    std::filesystem::path run;
    std::uint32_t attempt = 1;
    bool isReduced = false;
    for (int i = 2; i + 1 < argc; i += 2) {
        if (std::string(argv[i]) == "--run-dir")
            run = argv[i + 1];
        if (std::string(argv[i]) == "--attempt")
            attempt = static_cast<std::uint32_t>(std::atoi(argv[i + 1]));
        isReduced = isReduced || std::string(argv[i]) == "--replicas";
    }
    const std::string rank = variable("OMPI_COMM_WORLD_RANK", "0");
    const std::string log = std::string(4 - rank.size(), '0') + rank + ".log";
    const int fd = ::open((run / "ranks" / log).c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    ::dup2(fd, 1);
    ::dup2(fd, 2);
    const bool chosen = variable("TRAINYARD_FAKE_RANK", rank.c_str()) == rank;
    return behave(chosen ? variable("TRAINYARD_FAKE", "train") : "train", run, attempt, std::stoi(rank),
                  isReduced);
}
