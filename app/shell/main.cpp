#include <cstring>

#include <QApplication>
#include <QCommandLineParser>

#include "app/cli/cli.h"
#include "app/demo/demo_flow.h"
#include "app/shell/desk_window.h"
#include "remote/target/desk_folders.h"

namespace {

/// `trainyard demo` opens the window, unless it was asked not to or there is no display.
bool opensDemoWindow(int argc, char** argv)
{
    if (argc < 2 || std::strcmp(argv[1], "demo") != 0)
        return false;
    for (int i = 2; i < argc; ++i) {
        if (std::strcmp(argv[i], "--headless") == 0 || std::strcmp(argv[i], "--help") == 0)
            return false;
    }
    return qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY") ||
           qEnvironmentVariableIsSet("QT_QPA_PLATFORM");
}

std::filesystem::path demoFolder(const QStringList& arguments)
{
    QCommandLineParser parser;
    const QCommandLineOption out(QStringLiteral("out"), QStringLiteral("Folder of the demo"),
                                 QStringLiteral("DIR"));
    parser.addOption(out);
    parser.parse(arguments);
    return parser.isSet(out) ? std::filesystem::absolute(parser.value(out).toStdString())
                             : trainyard::deskDataFolder() / "demo";
}

/// The demo in the window: its steps in the status bar, its data set in the place Data, its training in Runs.
void startDemo(trainyard::DeskWindow& desk)
{
    using namespace trainyard;
    auto* demo = new DemoFlow({demoFolder(QApplication::arguments())}, desk.session().runs(), &desk.window());
    QObject::connect(demo, &DemoFlow::progress, &desk.window(), &MainWindow::showStatus);
    QObject::connect(demo, &DemoFlow::runStarted, &desk.window(),
                     [&desk](const QString& runId, RunKind kind) {
                         if (kind == RunKind::Train)
                             desk.showRun(runId);
                         else
                             desk.showPreparation(runId);
                     });
    QObject::connect(demo, &DemoFlow::finished, &desk.window(), [&desk](const Result<QString>& result) {
        desk.window().showStatus(result.ok() ? QObject::tr("The demo's training has finished.")
                                             : QString::fromStdString(result.error().text()));
    });
    demo->start();
}

} // namespace

int main(int argc, char** argv)
{
    const bool demo = opensDemoWindow(argc, argv);
    if (argc > 1 && !demo)
        return trainyard::runCli(argc, argv);
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("trainyard"));
    QApplication::setApplicationDisplayName(QStringLiteral("Trainyard"));
    QApplication::setApplicationVersion(QStringLiteral(TRAINYARD_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("trainyard"));
    trainyard::DeskWindow desk(application, trainyard::deskDataFolder());
    desk.window().show();
    if (demo)
        startDemo(desk);
    return QApplication::exec();
}
