#include "datasets/prepare/commands.h"

#include <memory>

#include "datasets/job/job_watch.h"
#include "datasets/prepare/job_place.h"
#include "datasets/verification/verification.h"
#include "datasets/verification/verification_output.h"
#include "engine/base/file.h"
#include "engine/base/standard_streams.h"

namespace trainyard {

namespace {

struct VerifyArguments {
    VerifyOptions options;
    JobPlace place;
    bool json = false;
};

Error asError(const VerificationReport& report)
{
    std::string message = report.violations.front().text();
    for (std::size_t i = 1; i < report.violations.size(); ++i)
        message += "\n" + report.violations[i].text();
    return badInput(message, "prepare or copy the data set again");
}

/// Omits statistics of a damaged set, which would cover only a part of it; JSON has them.
std::string reportText(const VerifyArguments& arguments, const VerificationReport& report)
{
    if (arguments.json)
        return toJson(report);
    return report.ok() ? toText(report) : std::string();
}

/// Writes to stdout, or to the file `report` of a run directory.
Status put(const VerifyArguments& arguments, const std::string& text)
{
    if (!arguments.place.runDirectory.empty())
        return writeFileAtomically(arguments.place.runDirectory / "report", text);
    printOutput(text);
    return {};
}

/// Shows progress and handles Ctrl+C.
Status verify(const VerifyArguments& arguments)
{
    blockStopSignals();
    TRAINYARD_TRY(auto sink, arguments.place.openSink());
    Progress progress;
    CancelFlag cancel;
    JobWatch watch(progress, cancel, std::move(sink), arguments.place.stopFile());
    const auto report = verifyDataset(arguments.options, progress, cancel);
    const Status outcome = !report.ok()   ? Status(report.error())
                           : report->ok() ? Status()
                                          : Status(asError(*report));
    watch.end(outcome);
    if (report.ok())
        TRAINYARD_TRY_STATUS(put(arguments, reportText(arguments, *report)));
    return outcome;
}

} // namespace

Command addVerifyCommand(CLI::App& app)
{
    auto arguments = std::make_shared<VerifyArguments>();
    CLI::App* command = app.add_subcommand("verify", "check every invariant of a data set");
    command->footer(
        "Examples:\n  trainyard verify wiki-128 --sample 3\n  trainyard verify /d/wiki-128 --host gpu-03");
    command->add_option("folder", arguments->options.folder, "the data set")->required();
    command->add_option("--sample", arguments->options.samples, "show this many decoded rows")
        ->check(CLI::Range(0, 10000));
    command->add_option("--vocab", arguments->options.vocabulary, "vocabulary of shards without a manifest");
    arguments->place.addOptions(*command);
    command->add_flag("--json", arguments->json, "print one JSON document");
    return {command, [arguments] { return verify(*arguments); }};
}

} // namespace trainyard
