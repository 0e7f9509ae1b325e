#include "app/cli/commands.h"
#include "app/cli/support/console.h"
#include "app/cli/support/model_place.h"
#include "engine/generation/options/try_command_line.h"

namespace trainyard {

namespace {

/// A job has no standard input: what is on ours goes with it.
Status takeStandardInput(TryOptions& options)
{
    if (options.tokenIds == "-") {
        TRAINYARD_TRY(options.tokenIds, readTriedText());
    } else if (options.text.empty() && options.tokenIds.empty()) {
        TRAINYARD_TRY(options.text, readTriedText());
    }
    return {};
}

Result<int> tryModel(const std::string& host, TryOptions options)
{
    TRAINYARD_TRY(const ModelPlace place, modelPlaceOf(options.model, host));
    options.model = place.model;
    if (!place.host.empty()) {
        TRAINYARD_TRY_STATUS(makeAbsolute(place.host, {{"--vocab", options.vocabulary}}));
        TRAINYARD_TRY_STATUS(takeStandardInput(options));
    }
    return runModelCommand(place.host, "try", tryArguments(options));
}

} // namespace

void addTryCommand(CLI::App& app, CommandOutcome& outcome)
{
    auto options = std::make_shared<TryOptions>();
    auto host = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand("try", kTrySummary);
    addTryOptions(*command, *options);
    command->add_option("--host", *host, "Host of the model: RUN is a run or a path there");
    command->callback(
        [&outcome, options, host] { outcome.status = console::exitWith(tryModel(*host, *options)); });
}

} // namespace trainyard
