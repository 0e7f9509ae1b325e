#include "app/cli/cli.h"

#include <QApplication>

#include "app/cli/commands.h"
#include "app/cli/console.h"

namespace trainyard {

namespace {

constexpr auto kFooter = R"(Exit status: 0 done, 2 bad input, 3 refused because it would not fit or work,
4 a host could not be reached or prepared, 5 the run failed, 130 cancelled.
Without a command the window opens. `trainyard <command> --help` explains each.)";

/// Qt's own remarks (on locales, run-time folders) are not what a command has to say; real trouble is.
void printOnlyTrouble(QtMsgType type, const QMessageLogContext&, const QString& text)
{
    if (type == QtCriticalMsg || type == QtFatalMsg)
        console::note(text);
}

int parse(CLI::App& app, int argc, char** argv)
{
    try {
        app.parse(argc, argv);
        return 0;
    } catch (const CLI::Success& success) {
        app.exit(success);
        return -1;
    } catch (const CLI::ParseError& error) {
        return console::fail(badInput(error.what(), "see `trainyard --help`"));
    }
}

} // namespace

int runCli(int argc, char** argv)
{
    // Reports draw their figures with the widgets' plotting library; no display is needed for that.
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qInstallMessageHandler(printOnlyTrouble);
    QApplication application(argc, argv);
    QApplication::setApplicationName("trainyard");
    CLI::App app("Trainyard: design, launch and watch distributed training of transformers.", "trainyard");
    app.set_version_flag("--version", std::string(TRAINYARD_VERSION));
    app.require_subcommand(1);
    app.footer(kFooter);
    CommandOutcome outcome;
    addDemoCommand(app, outcome);
    addHostCommands(app, outcome);
    addDataCommands(app, outcome);
    addPlanCommand(app, outcome);
    addRunCommands(app, outcome);
    addScalingCommand(app, outcome);
    addReportCommand(app, outcome);
    addModelCommands(app, outcome);
    const int parsed = parse(app, argc, argv);
    return parsed > 0 ? parsed : outcome.status;
}

} // namespace trainyard
