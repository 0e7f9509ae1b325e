#include <filesystem>

#include "app/base/this_machine.h"
#include "app/cli/commands.h"
#include "app/cli/support/console.h"
#include "app/cli/support/model_place.h"
#include "engine/base/file.h"
#include "engine/evaluation/options/eval_command_line.h"

namespace trainyard {

namespace {

/// A job works in another folder than whoever calls it.
Status makePathsAbsolute(EvalCommandLine& options, const std::string& host)
{
    const bool isHere = host == thisMachine().toStdString();
    for (const auto& [option, path] :
         {std::pair{"--data", &options.dataSet}, std::pair{"--inputs", &options.inputs},
          std::pair{"--out", &options.out}}) {
        if (path->empty() || path->front() == '/')
            continue;
        if (!isHere)
            return badInput(std::string(option) + " " + *path + " is a relative path, and the model is on " +
                                host,
                            "give the absolute path on that host");
        *path = std::filesystem::absolute(*path).string();
    }
    return {};
}

Status prepareForHost(EvalCommandLine& options, const std::string& host)
{
    TRAINYARD_TRY_STATUS(makePathsAbsolute(options, host));
    if (!options.layout.empty()) {
        TRAINYARD_TRY(options.layout, readFile(options.layout)); // a file of this machine
    }
    return {};
}

Result<int> evaluateModel(const std::string& host, EvalCommandLine options)
{
    TRAINYARD_TRY_STATUS(checkEvalOptions(options));
    const ModelPlace place = modelPlaceOf(options.model, host);
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
