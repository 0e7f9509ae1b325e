#include <algorithm>

#include "app/cli/commands.h"
#include "app/cli/completion.h"
#include "app/cli/support/console.h"
#include "app/hosts/model/host_store.h"
#include "app/plan/hardware_library.h"
#include "remote/launch/desk_run.h"
#include "remote/target/data_dirs.h"

namespace trainyard {

namespace {

std::vector<std::string> knownHosts()
{
    std::vector<std::string> names{"localhost"};
    const auto hosts = loadHosts(dataDir() / "hosts.json");
    for (const QString& host : hosts.ok() ? *hosts : QStringList())
        names.push_back(host.toStdString());
    return names;
}

std::vector<std::string> knownHardware()
{
    return HardwareLibrary(dataDir() / "hardware").names();
}

} // namespace

void addCompletionCommands(CLI::App& app, CommandOutcome& outcome)
{
    auto shell = std::make_shared<std::string>();
    CLI::App* script = app.add_subcommand(
        "completion", "Print a shell completion script, e.g. source <(trainyard completion bash)");
    script->add_option("SHELL", *shell, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    script->callback([&outcome, shell] {
        console::print(QString::fromStdString(completionScript(*shell)).trimmed());
        outcome.status = 0;
    });

    auto words = std::make_shared<std::vector<std::string>>();
    CLI::App* complete = app.add_subcommand("complete", "List the completions of the last word")->group("");
    complete->add_option("WORDS", *words)->expected(-1);
    complete->callback([&app, words] {
        for (const std::string& word : completionsOf(app, *words, {deskRunIds, knownHosts, knownHardware}))
            console::print(QString::fromStdString(word));
    });
}

} // namespace trainyard
