#include "app/cli/cli.h"

#include <algorithm>

#include <QApplication>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/command_help.h"
#include "app/cli/commands.h"
#include "app/cli/support/console.h"
#include "engine/base/command_line.h"
#include "engine/spec/field_reader.h"

namespace trainyard {

namespace {

/// Qt's own remarks (on locales, run-time folders) are not what a command has to say; real trouble is.
void printOnlyTrouble(QtMsgType type, const QMessageLogContext&, const QString& text)
{
    if (type == QtCriticalMsg || type == QtFatalMsg)
        console::note(text);
}

std::vector<std::string> commandsOf(const CLI::App& app)
{
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(command->get_name());
    return names;
}

/// Complains about a command that is missing, and about the first word that stands in the place of a command,
/// or of a command's own command, and is none.
Status knowsCommands(const CLI::App& app, const std::string& called, const std::vector<std::string>& words)
{
    if (app.get_require_subcommand_min() == 0 || (!words.empty() && words.front().starts_with('-')))
        return {};
    const std::vector<std::string> known = commandsOf(app);
    if (words.empty())
        return badInput(fmt::format("`{}` needs a command: {}", called, fmt::join(known, ", ")),
                        "see `" + called + " --help`");
    const std::string& word = words.front();
    if (std::find(known.begin(), known.end(), word) != known.end())
        return knowsCommands(*app.get_subcommand(word), called + " " + word,
                             {words.begin() + 1, words.end()});
    const std::string nearest = nearestName(word, known);
    return badInput("there is no command `" + called + " " + word + "`",
                    nearest.empty() ? "`" + called + " --help` lists the commands"
                                    : "did you mean `" + called + " " + nearest + "`?");
}

/// The help of the command that was given, as far as it got.
std::string helpFor(const CLI::App& app)
{
    std::string called = "trainyard";
    for (const CLI::App* command = &app; !command->get_subcommands().empty();) {
        command = command->get_subcommands().front();
        called += " " + command->get_name();
    }
    return "see `" + called + " --help`";
}

int parse(CLI::App& app, int argc, char** argv)
{
    if (const Status known = knowsCommands(app, "trainyard", {argv + 1, argv + argc}); !known.ok())
        return console::fail(known.error());
    try {
        app.parse(argc, argv);
        return 0;
    } catch (const CLI::Success& success) {
        printHelp(app, success);
        return -1;
    } catch (const CLI::ParseError& error) {
        return console::fail(badInput(error.what(), helpFor(app)));
    }
}

} // namespace

void addCommands(CLI::App& app, CommandOutcome& outcome)
{
    app.set_version_flag("--version", std::string(TRAINYARD_VERSION));
    app.require_subcommand(1);
    addDemoCommand(app, outcome);
    addHostCommands(app, outcome);
    addCleanCommand(app, outcome);
    addDataCommands(app, outcome);
    addDataSetCommands(app, outcome);
    addPlanCommand(app, outcome);
    addCalibrateCommand(app, outcome);
    addSearchCommand(app, outcome);
    addPartitionCommand(app, outcome);
    addSettingsCommands(app, outcome);
    addRunCommands(app, outcome);
    addCheckpointsCommand(app, outcome);
    addTraceCommand(app, outcome);
    addHistoryCommands(app, outcome);
    addScalingCommand(app, outcome);
    addSweepCommand(app, outcome);
    addReportCommand(app, outcome);
    addShareCommand(app, outcome);
    addExchangeCommands(app, outcome);
    addCertifyCommand(app, outcome);
    addEvalCommand(app, outcome);
    addTryCommand(app, outcome);
    addHelpCommand(app, outcome);
    addCompletionCommands(app, outcome);
    completeHelp(app);
}

void addRunOption(CLI::App& command, std::string& run)
{
    command.add_option("RUN", run, "Run id")->required();
}

void addSpecOption(CLI::App& command, std::string& file)
{
    command.add_option("SPEC", file, "Run specification (JSON)")->required();
}

void addOutOption(CLI::App& command, std::string& file)
{
    command.add_option("-o,--out", file, "File to write (default: -, standard output)");
}

void addFollowFlag(CLI::App& command, bool& follow)
{
    command.add_flag("--follow", follow, "Follow it until it ends");
}

CLI::Option* addJsonFlag(CLI::App& command, bool& json)
{
    return command.add_flag("--json", json, "Print one JSON document");
}

int runCli(int argc, char** argv)
{
    guardStandardStreams();
    // Reports draw their figures with the widgets' plotting library; no display is needed for that.
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qInstallMessageHandler(printOnlyTrouble);
    QApplication application(argc, argv);
    QApplication::setApplicationName("trainyard");
    CLI::App app("Trainyard: design, launch and watch distributed training of transformers.\n"
                 "Without a command, `trainyard` opens the window.",
                 "trainyard");
    CommandOutcome outcome;
    addCommands(app, outcome);
    const int parsed = parse(app, argc, argv);
    return exitStatusAfterOutput(parsed > 0 ? parsed : outcome.status, "trainyard");
}

} // namespace trainyard
