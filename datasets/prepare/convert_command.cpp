#include "datasets/prepare/commands.h"

#include <memory>

#include <fmt/format.h>

#include "datasets/job/job_watch.h"
#include "datasets/prepare/conversion.h"
#include "engine/base/counted.h"
#include "engine/base/standard_streams.h"

namespace trainyard {

namespace {

struct ConvertArguments {
    std::filesystem::path folder;
    std::string format;
    std::filesystem::path out;
};

Status convert(const ConvertArguments& arguments)
{
    blockStopSignals();
    Progress progress;
    CancelFlag cancel;
    JobWatch watch(progress, cancel, terminalSink(), std::nullopt);
    const auto files = convertToMds(arguments.folder, arguments.out, progress, cancel);
    watch.end(files.ok() ? Status() : Status(files.error()));
    if (!files.ok())
        return files.error();
    printOutput(fmt::format("{}\n{}\n", arguments.out.string(), counted(files->size(), "file")));
    return {};
}

} // namespace

Command addConvertCommand(CLI::App& app)
{
    auto arguments = std::make_shared<ConvertArguments>();
    CLI::App* command = app.add_subcommand("convert", "write the rows of a data set in another format");
    command->footer("Example:\n  trainyard convert wiki-128 --format mds --out wiki-128-mds");
    command->add_option("folder", arguments->folder, "the data set, with or without manifest")->required();
    command->add_option("--format", arguments->format, "mds: MosaicML Streaming")
        ->required()
        ->check(CLI::IsMember({"mds"}));
    command->add_option("--out", arguments->out, "new folder; appears when it is complete")->required();
    return {command, [arguments] { return convert(*arguments); }};
}

} // namespace trainyard
