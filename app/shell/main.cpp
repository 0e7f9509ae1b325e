#include <cstring>
#include <filesystem>

#include <QApplication>
#include <QCommandLineParser>

#include "app/cli/cli.h"
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

/// Sets the fonts installed with the program where the machine has none configured, as on a plain server: for
/// the window and the pages of reports. Call it before QApplication, which reads the configuration.
void useBundledFontsWhereNoneAre()
{
    if (qEnvironmentVariableIsSet("FONTCONFIG_FILE") || qEnvironmentVariableIsSet("FONTCONFIG_PATH"))
        return;
    std::error_code error;
    if (std::filesystem::exists("/etc/fonts/fonts.conf", error))
        return;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    const std::filesystem::path bundled = program.parent_path().parent_path() / "fonts" / "fonts.conf";
    if (std::filesystem::exists(bundled, error))
        qputenv("FONTCONFIG_FILE", QByteArray(bundled.c_str()));
}

} // namespace

int main(int argc, char** argv)
{
    useBundledFontsWhereNoneAre();
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
