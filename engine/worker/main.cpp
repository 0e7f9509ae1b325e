#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/base/command_line.h"
#include "engine/base/option_checks.h"
#include "engine/base/result.h"
#include "engine/worker/model_commands.h"
#include "engine/worker/probe_command.h"
#include "engine/worker/rank_limits.h"
#include "engine/worker/train_command.h"

using namespace trainyard;

namespace {

void addTrain(CLI::App& app, TrainOptions& options)
{
    CLI::App* command = app.add_subcommand("train", "Run one rank of a training run; mpirun starts several");
    command->add_option("--run-dir", options.runDirectory, "Run directory with spec.json")
        ->required()
        ->check(CLI::ExistingDirectory);
    command
        ->add_option("--attempt", options.attempt,
                     "Number of the attempt: 1 for the first start, one more for each resume")
        ->check(wholeNumberProblem<1>)
        ->capture_default_str();
    command
        ->add_option("--replicas", options.replicas,
                     "Override the data-parallel degree; accumulation keeps the global batch")
        ->check(wholeNumberProblem<1>);
    command->add_option("--learning-rate", options.learningRate, "Override the peak learning rate")
        ->check(positiveProblem);
    command->add_option("--layout", options.layout,
                        "Override the sections layout, memory, batch and cluster (JSON)");
    command->add_option("--steps", options.lastStep, "Override the last step")->check(wholeNumberProblem<1>);
}

void addProbe(CLI::App& app, ProbeOptions& options)
{
    CLI::App* command =
        app.add_subcommand("probe", "Measure this host for planning, as one rank; mpirun starts several");
    command->add_option("--run-dir", options.runDirectory, "Run directory with probe.json")
        ->required()
        ->check(CLI::ExistingDirectory);
    command->add_option("--attempt", options.attempt, "Always 1: probes are not restarted")
        ->check(wholeNumberProblem<1>)
        ->capture_default_str();
}

/// Whom the user called: "trainyard-worker eval", or "trainyard eval".
int complain(const CLI::App& app, const CLI::ParseError& error)
{
    const auto chosen = app.get_subcommands();
    const std::string called = app.get_name() + (chosen.empty() ? "" : " " + chosen.front()->get_name());
    printError(called, badInput(error.what(), fmt::format("see `{} --help`", called)));
    return exitStatus(ErrorKind::BadInput);
}

} // namespace

int main(int argc, char** argv)
{
    CLI::App app("Train and evaluate models; part of Trainyard", programName(argv[0], "trainyard-worker"));
    app.set_version_flag("--version", TRAINYARD_VERSION);
    app.require_subcommand(1);
    TrainOptions train;
    addTrain(app, train);
    ProbeOptions probe;
    addProbe(app, probe);
    ModelCommands modelCommands(app);
    for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        command->footer(command->get_footer() + "\n\n" + kExitStatusText);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& help) {
        printHelp(app, help);
        return exitStatusAfterOutput(0, app.get_name());
    } catch (const CLI::ParseError& error) {
        return complain(app, error);
    }
    raiseRankLimits();
    if (app.got_subcommand("probe"))
        return runProbe(probe);
    return app.got_subcommand("train") ? runTrain(train) : modelCommands.run();
}
