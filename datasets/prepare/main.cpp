// trainyard-prepare: creates and verifies data sets for BERT and GPT pre-training on a node.
#include <algorithm>
#include <malloc.h>
#include <span>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "datasets/prepare/commands.h"
#include "engine/base/command_line.h"

using namespace trainyard;

namespace {

constexpr auto kOwnName = "trainyard-prepare";

/// Returns the program's name for messages: "trainyard-prepare", or "trainyard prepare".
std::string speaker(const CLI::App& app)
{
    const auto chosen = app.get_subcommands();
    return app.get_name() == kOwnName || chosen.empty() ? app.get_name()
                                                        : app.get_name() + " " + chosen.front()->get_name();
}

int fail(const CLI::App& app, const Error& error)
{
    printError(speaker(app), error);
    return exitStatus(error.kind);
}

int parse(CLI::App& app, int argc, char** argv)
{
    try {
        app.parse(argc, argv);
        return 0;
    } catch (const CLI::Success& help) {
        printHelp(app, help);
        return -1;
    } catch (const CLI::ParseError& error) {
        const bool known = !app.get_subcommands().empty();
        return fail(app, badInput(error.what(),
                                  fmt::format("see `{} --help`", known ? speaker(app) : app.get_name())));
    }
}

int runChosen(const CLI::App& app, std::span<const Command> commands)
{
    const auto chosen = std::ranges::find_if(commands, [](const Command& one) { return one.app->parsed(); });
    const Status done = chosen == commands.end() ? Status() : chosen->run();
    return done.ok() ? 0 : fail(app, done.error());
}

/// Returns large blocks to the system immediately, so that the peak does not grow with the corpus.
void returnLargeBlocks()
{
    ::mallopt(M_MMAP_THRESHOLD, 256 << 10);
}

} // namespace

int main(int argc, char** argv)
{
    guardStandardStreams();
    returnLargeBlocks();
    CLI::App app("Makes and checks data sets for pre-training", programName(argv[0], kOwnName));
    app.set_version_flag("--version", TRAINYARD_VERSION);
    app.require_subcommand(1);
    const Command commands[] = {addPrepareCommand(app),        addDocumentsCommand(app),
                                addVerifyCommand(app),         addTokenizeCommand(app),
                                addTrainTokenizerCommand(app), addConvertCommand(app),
                                addAdoptCommand(app),          addRowsCommand(app)};
    for (const Command& command : commands)
        command.app->footer(command.app->get_footer() + "\n\n" + kExitStatusText);
    const int parsed = parse(app, argc, argv);
    const int status = parsed == 0 ? runChosen(app, commands) : std::max(parsed, 0);
    return exitStatusAfterOutput(status, speaker(app));
}
