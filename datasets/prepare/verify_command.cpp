#include "datasets/prepare/commands.h"

#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "datasets/prepare/job_watch.h"
#include "datasets/prepare/progress_sink.h"
#include "datasets/prepare/verification.h"
#include "datasets/prepare/verification_output.h"

namespace trainyard {

namespace {

struct VerifyArguments {
    VerifyOptions options;
    bool json = false;
};

Error asError(const VerificationReport& report)
{
    std::string message = report.violations.front().text();
    for (std::size_t i = 1; i < report.violations.size(); ++i)
        message += "\n" + report.violations[i].text();
    return badInput(message, "prepare or copy the data set again");
}

/// Shows progress and takes Ctrl+C.
Result<VerificationReport> verifyWatched(const VerifyOptions& options)
{
    blockStopSignals();
    Progress progress;
    CancelFlag cancel;
    JobWatch watch(progress, cancel, terminalSink(), std::nullopt);
    auto report = verifyDataset(options, progress, cancel);
    watch.end(report.ok() ? Status() : Status(report.error()));
    return report;
}

Status verify(const VerifyArguments& arguments)
{
    TRAINYARD_TRY(const VerificationReport report, verifyWatched(arguments.options));
    if (arguments.json)
        fmt::print("{}", toJson(report));
    else if (report.ok()) // figures of a damaged set would be figures of half of it
        fmt::print("{}", toText(report));
    if (!report.ok())
        return asError(report);
    return {};
}

} // namespace

Command addVerifyCommand(CLI::App& app)
{
    auto arguments = std::make_shared<VerifyArguments>();
    CLI::App* command = app.add_subcommand("verify", "check every invariant of a data set");
    command->add_option("folder", arguments->options.folder, "the data set")->required();
    command->add_option("--sample", arguments->options.samples, "decode this many rows")
        ->check(CLI::Range(0, 10000));
    command->add_option("--vocab", arguments->options.vocabulary,
                        "vocabulary of shards that have no manifest");
    command->add_flag("--json", arguments->json, "print one JSON document");
    return {command, [arguments] { return verify(*arguments); }};
}

} // namespace trainyard
