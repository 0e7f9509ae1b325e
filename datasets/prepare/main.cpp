// trainyard-prepare: data sets for BERT pre-training, made and checked on a node.
#include <cstdio>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "datasets/prepare/commands.h"

using namespace trainyard;

namespace {

int usageError(const CLI::App& app, const CLI::ParseError& error)
{
    const int status = app.exit(error); // prints help, version or what is wrong
    return status == 0 ? 0 : exitStatus(ErrorKind::BadInput);
}

int report(const Status& status)
{
    if (status.ok())
        return 0;
    fmt::print(stderr, "trainyard-prepare: {}\n", status.error().text());
    return exitStatus(status.error().kind);
}

} // namespace

int main(int argc, char** argv)
{
    CLI::App app("Makes and checks data sets for pre-training", "trainyard-prepare");
    app.set_version_flag("--version", TRAINYARD_VERSION);
    app.require_subcommand(1);
    const Command commands[] = {addPrepareCommand(app), addVerifyCommand(app), addTokenizeCommand(app)};
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return usageError(app, error);
    }
    for (const Command& command : commands) {
        if (command.app->parsed())
            return report(command.run());
    }
    return 0;
}
