#include "app/cli/commands.h"
#include "app/cli/support/console.h"
#include "app/cli/support/model_place.h"
#include "engine/base/file.h"
#include "engine/evaluation/options/eval_command_line.h"

namespace trainyard {

namespace {

Status prepareForHost(EvalCommandLine& options, const std::string& host)
{
    TRAINYARD_TRY_STATUS(makeAbsolute(
        host, {{"--data", options.dataSet}, {"--inputs", options.inputs}, {"--out", options.out}}));
    if (!options.layout.empty()) {
        TRAINYARD_TRY(options.layout, readFile(options.layout)); // a file of this machine
    }
    return {};
}

Result<int> evaluateModel(const std::string& host, EvalCommandLine options)
{
    TRAINYARD_TRY_STATUS(checkEvalOptions(options));
    TRAINYARD_TRY(const ModelPlace place, modelPlaceOf(options.model, host));
    options.model = place.model;
    if (!place.host.empty())
        TRAINYARD_TRY_STATUS(prepareForHost(options, place.host));
    return runModelCommand(place.host, "eval", evalArguments(options));
}

} // namespace

void addEvalCommand(CLI::App& app, CommandOutcome& outcome)
{
    auto options = std::make_shared<EvalCommandLine>();
    auto host = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand("eval", kEvalSummary);
    addEvalOptions(*command, *options);
    command->add_option("--host", *host, "Host of the model: RUN and all paths are there");
    command->callback(
        [&outcome, options, host] { outcome.status = console::exitWith(evaluateModel(*host, *options)); });
}

} // namespace trainyard
