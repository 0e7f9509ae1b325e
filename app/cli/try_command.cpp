#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <unistd.h>

#include "app/base/this_machine.h"
#include "app/cli/commands.h"
#include "app/cli/support/awaited.h"
#include "app/cli/support/console.h"
#include "app/cli/support/desk.h"
#include "app/cli/support/node_tool.h"
#include "app/hosts/model/model_trial.h"
#include "engine/base/file.h"
#include "engine/base/standard_streams.h"
#include "engine/generation/options/try_command_line.h"
#include "remote/launch/desk_run.h"

namespace trainyard {

namespace {

namespace fs = std::filesystem;

/// Where this machine's agent keeps runs, as it decides by itself.
fs::path agentRoot()
{
    if (const char* home = std::getenv("TRAINYARD_HOME"))
        return home;
    const char* home = std::getenv("HOME");
    return fs::path(home ? home : "/") / ".trainyard";
}

/// A model and the host that has it.
struct ModelPlace {
    std::string host;  ///< empty: this machine, and the command itself reads the model
    std::string model; ///< a path there, or a run's id on another host
};

/// What `model` names: a path on `host`, or a run, wherever it is.
ModelPlace modelPlaceOf(const std::string& model, const std::string& host)
{
    std::error_code ignored;
    const bool canBeRun = isPlainName(model) && (!host.empty() || !fs::exists(model, ignored));
    if (!host.empty() || !canBeRun)
        return {host, model};
    const auto run = loadDeskRun(QString::fromStdString(model));
    if (!run.ok())
        return {{}, model};
    if (run->head() != thisMachine())
        return {run->head().toStdString(), model};
    return {{}, (agentRoot() / "runs" / model).string()};
}

std::vector<std::string> withPositionals(std::vector<std::string> words, const std::string& model,
                                         const std::string& text)
{
    words.insert(words.end(), {"--", model}); // a text may begin with a dash
    if (!text.empty())
        words.push_back(text);
    return words;
}

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
Status takeStandardInput(TryOptions& options, std::vector<std::string>& words)
{
    if (options.tokenIds == "-") {
        TRAINYARD_TRY(options.tokenIds, readStandardInput());
        std::replace(words.begin(), words.end(), std::string("-"), options.tokenIds);
    } else if (options.text.empty() && options.tokenIds.empty()) {
        TRAINYARD_TRY(options.text, readStandardInput());
    }
    return {};
}

Status tryOnHost(const std::string& host, const std::vector<std::string>& words)
{
    Desk desk;
    QStringList arguments;
    for (const std::string& word : words)
        arguments << QString::fromStdString(word);
    ModelTrial trial(desk.runs(), QString::fromStdString(host), arguments);
    QObject::connect(&trial, &ModelTrial::answered, &trial, [](const QString& text) {
        console::transient({});
        printOutput(text.toStdString());
    });
    return console::await<Status>(trial);
}

Result<int> tryModel(const CLI::App& command, const CLI::Option* hostOption, const std::string& host,
                     TryOptions options)
{
    const ModelPlace place = modelPlaceOf(options.model, host);
    std::vector<std::string> words = namedArguments(command, hostOption);
    if (place.host.empty()) {
        words.insert(words.begin(), "try");
        return becomeNodeTool("trainyard-worker", withPositionals(words, place.model, options.text));
    }
    TRAINYARD_TRY_STATUS(takeStandardInput(options, words));
    TRAINYARD_TRY_STATUS(tryOnHost(place.host, withPositionals(words, place.model, options.text)));
    return 0;
}

} // namespace

void addTryCommand(CLI::App& app, CommandOutcome& outcome)
{
    auto options = std::make_shared<TryOptions>();
    auto host = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand("try", kTrySummary);
    addTryOptions(*command, *options);
    const CLI::Option* hostOption =
        command->add_option("--host", *host, "Host of the model: RUN is a run or a path there");
    command->callback([&outcome, command, options, host, hostOption] {
        outcome.status = console::exitWith(tryModel(*command, hostOption, *host, *options));
    });
}

} // namespace trainyard
