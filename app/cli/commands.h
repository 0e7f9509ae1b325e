#pragma once

#include <CLI/CLI.hpp>

namespace trainyard {

/// The result of a command for main().
struct CommandOutcome {
    int status = 0;
};

/// Adds all commands, with their help.
void addCommands(CLI::App& app, CommandOutcome& outcome);

// Each adds its commands to the parser; when one is chosen its callback runs it and sets the outcome.
void addDataCommands(CLI::App& app, CommandOutcome& outcome);     ///< prepare, verify, tokenize
void addDataSetCommands(CLI::App& app, CommandOutcome& outcome);  ///< data send|fetch|list|remove
void addCertifyCommand(CLI::App& app, CommandOutcome& outcome);   ///< certify
void addEvalCommand(CLI::App& app, CommandOutcome& outcome);      ///< eval
void addPlanCommand(CLI::App& app, CommandOutcome& outcome);      ///< plan
void addSettingsCommands(CLI::App& app, CommandOutcome& outcome); ///< recipe, import-spec, export-spec
void addCalibrateCommand(CLI::App& app, CommandOutcome& outcome); ///< calibrate
void addSearchCommand(CLI::App& app, CommandOutcome& outcome);    ///< search
void addPartitionCommand(CLI::App& app, CommandOutcome& outcome); ///< partition
void addHostCommands(CLI::App& app, CommandOutcome& outcome); ///< hosts add|list|check|remove|remove-old-key
void addCleanCommand(CLI::App& app, CommandOutcome& outcome); ///< clean
void addRunCommands(CLI::App& app, CommandOutcome& outcome);  ///< launch, attach, stop, logs
void addResumeCommand(CLI::App& app, CommandOutcome& outcome); ///< resume, also in another layout or without a host
void addCheckpointsCommand(CLI::App& app, CommandOutcome& outcome); ///< checkpoints
void addTraceCommand(CLI::App& app, CommandOutcome& outcome);       ///< trace
void addHistoryCommands(CLI::App& app, CommandOutcome& outcome);    ///< runs, relaunch, diff
void addExchangeCommands(CLI::App& app, CommandOutcome& outcome);   ///< export, import
void addScalingCommand(CLI::App& app, CommandOutcome& outcome);     ///< scaling
void addSweepCommand(CLI::App& app, CommandOutcome& outcome);       ///< sweep
void addTryCommand(CLI::App& app, CommandOutcome& outcome);         ///< try
void addReportCommand(CLI::App& app, CommandOutcome& outcome);      ///< report
void addShareCommand(CLI::App& app, CommandOutcome& outcome);       ///< share
void addDemoCommand(CLI::App& app, CommandOutcome& outcome);        ///< demo
void addHelpCommand(CLI::App& app, CommandOutcome& outcome);        ///< help
void addCompletionCommands(CLI::App& app, CommandOutcome& outcome); ///< completion; complete, for shells

// Options that several commands have.
void addRunOption(CLI::App& command, std::string& run);   ///< RUN
void addSpecOption(CLI::App& command, std::string& file); ///< SPEC
void addOutOption(CLI::App& command, std::string& file);  ///< -o, --out; empty = standard output
void addFollowFlag(CLI::App& command, bool& follow);      ///< --follow
CLI::Option* addJsonFlag(CLI::App& command, bool& json);  ///< --json

} // namespace trainyard
