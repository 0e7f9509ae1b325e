#include <iostream>
#include <iterator>
#include <unistd.h>

#include "app/cli/commands.h"
#include "app/cli/support/console.h"
#include "app/cli/support/desk.h"
#include "app/cli/support/model_place.h"
#include "app/cli/support/node_tool.h"
#include "app/hosts/model/model_trial.h"
#include "engine/generation/options/try_command_line.h"

namespace trainyard {

namespace {

Result<std::string> readStandardInput()
{
    if (::isatty(STDIN_FILENO) == 1)
        return badInput("no text was given", "give a text, --token-ids, or a text on standard input");
    std::string text(std::istreambuf_iterator<char>(std::cin), {});
    if (text.ends_with('\n'))
        text.pop_back(); // the shell's
    return text;
}

/// A job has no standard input: what is on ours goes with it.
Status takeStandardInput(TryOptions& options)
{
    if (options.tokenIds == "-") {
        TRAINYARD_TRY(options.tokenIds, readStandardInput());
    } else if (options.text.empty() && options.tokenIds.empty()) {
        TRAINYARD_TRY(options.text, readStandardInput());
    }
    return {};
}

Status tryOnHost(const std::string& host, const TryOptions& options)
{
    Desk desk;
    ModelTrial trial(desk.runs(), QString::fromStdString(host), options);
    return printAnswer(trial);
}

Result<int> tryModel(const std::string& host, TryOptions options)
{
    const ModelPlace place = modelPlaceOf(options.model, host);
    options.model = place.model;
    if (place.host.empty()) {
        std::vector<std::string> words = tryArguments(options);
        words.insert(words.begin(), "try");
        return becomeNodeTool("trainyard-worker", words);
    }
    TRAINYARD_TRY_STATUS(takeStandardInput(options));
    TRAINYARD_TRY_STATUS(tryOnHost(place.host, options));
    return 0;
}

} // namespace

void addTryCommand(CLI::App& app, CommandOutcome& outcome)
{
    auto options = std::make_shared<TryOptions>();
    auto host = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand("try", kTrySummary);
    addTryOptions(*command, *options);
    command->add_option("--host", *host, "Host of the model: RUN is a run or a path there");
    command->callback([&outcome, options, host] {
        outcome.status = console::exitWith(tryModel(*host, *options));
    });
}

} // namespace trainyard
