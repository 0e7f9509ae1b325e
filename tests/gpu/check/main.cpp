// Checks on a GPU what no test without one can: that the engine opens it, computes what the processor
// computes, communicates, counts its memory and survives the loss of a rank. Needs neither Qt nor, for one
// rank, MPI.
//
//     [mpirun -np N] trainyard-gpu-check [--share-gpu] [--emulated] [--json FILE]
//         open | kernels [--small] | collectives | training [--way NAME | --layout NAME | --list] | memory |
//         sanitizers | faults | write-run FOLDER
//
// Exit status: the number of checks that failed, at most 100; 101 for arguments that it does not know; 102
// where there is no CUDA device, so that nothing was checked.

#include <algorithm>

#include <ATen/Parallel.h>
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/memory/accounting_allocator.h"
#include "tests/gpu/check/checks.h"

using namespace trainyard;

namespace {

constexpr int kMaxFailures = 100;
constexpr int kBadArguments = 101;
constexpr int kNoDevice = 102;

struct Options {
    RankOptions rank;
    std::string json;
    bool isSmall = false;
    bool lists = false;
    TrainingChoice training;
    std::string runFolder;
};

void addSubcommands(CLI::App& app, Options& options)
{
    app.require_subcommand(1);
    app.add_flag("--share-gpu", options.rank.sharesGpu, "All ranks of this machine on its first GPU");
    app.add_flag("--emulated", options.rank.emulates, "On an emulated device: tries the checks themselves");
    app.add_option("--json", options.json, "File for all lines");
    app.add_subcommand("open", "The device answers, and ATen computes on it");
    app.add_subcommand("kernels", "Our kernels, products and attention against float64 on the processor")
        ->add_flag("--small", options.isSmall, "Few elements, for a sanitizer");
    app.add_subcommand("collectives", "Each collective in each type among all ranks");
    CLI::App* const training = app.add_subcommand("training", "Ten steps against float64 on one processor");
    training->add_option("--way", options.training.way, "Of one rank; default: all");
    training->add_option("--layout", options.training.layout,
                         "Of several ranks; default: all for their number");
    training->add_flag("--list", options.lists, "Print ways, and layouts with their ranks");
    training->add_flag("--resume", options.training.resumes, "Also go on from a checkpoint on the processor");
    app.add_subcommand("memory", "Ledger against allocator, plan against ledger");
    app.add_subcommand("sanitizers", "compute-sanitizer over the small kernels");
    app.add_subcommand("faults", "Ranks that lose one of them end with status 4");
    app.add_subcommand("write-run", "Write a run on a CUDA device for trainyard-worker")
        ->add_option("folder", options.runFolder)
        ->required();
}

void runChecks(const std::string& command, const Options& options, CheckRank& rank, CheckReport& report)
{
    if (command == "open")
        checkOpen(rank, report);
    else if (command == "kernels")
        checkKernels(rank, report, options.isSmall);
    else if (command == "collectives")
        checkCollectives(rank, report);
    else if (command == "training")
        checkTraining(rank, report, options.training);
    else if (command == "memory")
        checkMemory(rank, report);
}

int finish(const CheckReport& report, const Options& options, bool isFirst)
{
    if (isFirst && !options.json.empty()) {
        if (const Status written = writeFileAtomically(options.json, report.json()); !written.ok())
            fmt::print(stderr, "trainyard-gpu-check: {}\n", written.error().text());
    }
    return std::min(report.failures(), kMaxFailures);
}

int withoutDevice(const std::string& command, const Error& error)
{
    fmt::print("SKIP   : trainyard-gpu-check {}: {}\n", command, error.text());
    return kNoDevice;
}

/// What starts processes of its own, which open the device.
int runApart(const std::string& command, const Options& options, const std::vector<std::string>& program)
{
    if (const Status found = findDevice(); !found.ok())
        return withoutDevice(command, found.error());
    CheckReport report(true);
    if (command == "faults")
        checkFaults(program, report);
    else
        checkSanitizers(program, report);
    return finish(report, options, true);
}

int runOnRank(const std::string& command, const Options& options)
{
    AccountingAllocator::install();
    at::set_num_threads(1);
    const auto rank = CheckRank::open(options.rank);
    if (!rank.ok() && rank.error().kind == ErrorKind::Refused)
        return withoutDevice(command, rank.error());
    CheckReport report(!rank.ok() || (*rank)->isFirst());
    if (!rank.ok())
        report.holds("open the device", [&]() -> Status { return rank.error(); });
    else
        runChecks(command, options, **rank, report);
    return finish(report, options, !rank.ok() || (*rank)->isFirst());
}

int writeRun(const std::string& folder)
{
    const Status written = writeCheckRun(folder);
    if (!written.ok())
        fmt::print(stderr, "trainyard-gpu-check: {}\n", written.error().text());
    return written.ok() ? 0 : 1;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc == 6 && std::string_view(argv[1]) == "fault-rank")
        return runFaultRank({argv + 2, argv + argc});
    Options options;
    CLI::App app("Checks the engine on a GPU. Exit status: failures, at most 100; 101: unknown arguments; "
                 "102: no CUDA "
                 "device.");
    addSubcommands(app, options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : kBadArguments;
    }
    if (options.lists) {
        fmt::print("{}", trainingNames());
        return 0;
    }
    const std::string command = app.get_subcommands().front()->get_name();
    if (command == "write-run")
        return writeRun(options.runFolder);
    if (command == "faults" || command == "sanitizers")
        return runApart(command, options, ownCommand(argc - 1));
    return runOnRank(command, options);
}
