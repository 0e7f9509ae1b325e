#include <cstring>

#include <QApplication>
#include <QCommandLineParser>

#include "app/cli/cli.h"
#include "app/shell/bundled_fonts.h"
#include "app/shell/desk_window.h"
#include "remote/target/data_dirs.h"

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
                             : trainyard::dataDir() / "demo";
}

} // namespace

int main(int argc, char** argv)
{
    trainyard::useBundledFontsWhereNoneAre();
    const bool demo = opensDemoWindow(argc, argv);
    if (argc > 1 && !demo)
        return trainyard::runCli(argc, argv);
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("trainyard"));
    QApplication::setApplicationDisplayName(QStringLiteral("Trainyard"));
    QApplication::setApplicationVersion(QStringLiteral(TRAINYARD_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("trainyard"));
    trainyard::DeskWindow desk(application, trainyard::dataDir());
    desk.window().show();
    if (demo)
        desk.startDemo(demoFolder(QApplication::arguments()));
    else
        desk.offerTour();
    return QApplication::exec();
}
