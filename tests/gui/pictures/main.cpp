// Saves a picture of every page in its usual, empty and failed states, light and dark, at two sizes, and of
// the dialog for logins:
//     pictures OUT_DIR [DESK]
// With DESK (a desk data folder) also Runs, Compare and Reports of the runs recorded there; they are copied.
// With TRAINYARD_PICTURES=data only pictures whose name begins so.
// A person looks at them after a change of the window.
#include <cstdio>

#include <QApplication>
#include <QDir>
#include <QEventLoop>
#include <QTemporaryDir>
#include <QTimer>

#include "tests/gui/pictures/login_pictures.h"
#include "tests/gui/pictures/picture.h"
#include "tests/gui/pictures/picture_runs.h"

namespace {

using namespace trainyard;
using namespace trainyard::pictures;

constexpr int kSettleMs = 350; ///< layouts settle in steps; a report is built a moment after it is asked for
constexpr QSize kSizes[] = {{1280, 800}, {2560, 1440}};

void settle()
{
    QEventLoop loop;
    QTimer::singleShot(kSettleMs, &loop, &QEventLoop::quit);
    loop.exec();
}

bool isWanted(const QString& name)
{
    return name.startsWith(qEnvironmentVariable("TRAINYARD_PICTURES"));
}

void save(QWidget& widget, const QString& file)
{
    settle();
    if (!widget.grab().save(file))
        std::fprintf(stderr, "pictures: %s could not be written\n", qPrintable(file));
}

void save(DeskWindow& desk, const QList<Picture>& list, const QDir& folder, const QString& suffix)
{
    for (const Picture& picture : list) {
        if (!isWanted(picture.name))
            continue;
        picture.arrange(desk);
        save(desk.window(), folder.filePath(picture.name + suffix + QStringLiteral(".png")));
    }
}

constexpr std::pair<ColourScheme, const char*> kSchemes[] = {{ColourScheme::Light, "light"},
                                                             {ColourScheme::Dark, "dark"}};

/// The pictures of one desk, light and dark.
void saveBoth(QApplication& application, DeskWindow& desk, const QList<Picture>& list, const QDir& folder)
{
    for (const auto& [scheme, name] : kSchemes) {
        dress(application, scheme);
        save(desk, list, folder, QStringLiteral("-%1-%2").arg(name).arg(desk.window().width()));
    }
}

void saveLogins(QApplication& application, const QDir& folder)
{
    for (const auto& [scheme, schemeName] : kSchemes) {
        dress(application, scheme);
        for (const LoginPicture& picture : loginPictures()) {
            if (!isWanted(picture.name))
                continue;
            LoginDialog dialog(picture.question, LoginDialog::Keyring::Present);
            dialog.show();
            save(dialog, folder.filePath(QStringLiteral("%1-%2.png").arg(picture.name, schemeName)));
        }
    }
}

/// A window over the desk data in `data`.
std::unique_ptr<DeskWindow> openDesk(QApplication& application, const QTemporaryDir& data, const QSize& size)
{
    qputenv("TRAINYARD_DATA", data.path().toLocal8Bit());
    auto desk = std::make_unique<DeskWindow>(application, data.path().toStdString());
    desk->window().resize(size);
    desk->window().show();
    return desk;
}

void saveMadeUp(QApplication& application, const QDir& folder, const QSize& size)
{
    const QTemporaryDir data;
    auto desk = openDesk(application, data, size);
    saveBoth(application, *desk, emptyPictures(), folder);
    fillDesk(*desk);
    saveBoth(application, *desk, placePictures(), folder);
    saveBoth(application, *desk, shellPictures(), folder);
    desk.reset();
    writeRuns(data.path());
    desk = openDesk(application, data, size);
    saveBoth(application, *desk, runPictures(), folder);
}

void saveRecorded(QApplication& application, const QString& recorded, const QDir& folder, const QSize& size)
{
    const QTemporaryDir data;
    std::filesystem::copy(recorded.toStdString(), data.path().toStdString(),
                          std::filesystem::copy_options::recursive |
                              std::filesystem::copy_options::overwrite_existing);
    const auto desk = openDesk(application, data, size);
    saveBoth(application, *desk, recordedRunPictures(), folder);
}

} // namespace

int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    if (argc < 2 || argc > 3) {
        std::fprintf(stderr, "usage: pictures OUT_DIR [DESK]\n");
        return 2;
    }
    const QDir folder(QString::fromLocal8Bit(argv[1]));
    folder.mkpath(QStringLiteral("."));
    saveLogins(application, folder);
    for (const QSize& size : kSizes) {
        saveMadeUp(application, folder, size);
        if (argc == 3)
            saveRecorded(application, QString::fromLocal8Bit(argv[2]), folder, size);
    }
    return 0;
}
