// Saves a picture of every place in its usual, empty and failed states, light and dark, at two sizes:
//     pictures OUT_DIR
// A person looks at them after a change of the window.
#include <cstdio>
#include <functional>

#include <QApplication>
#include <QDir>
#include <QListView>
#include <QPushButton>
#include <QTemporaryDir>

#include "app/data/data_place.h"
#include "app/data/data_set_panel.h"
#include "app/data/prepare_form.h"
#include "app/data/prepare_panel.h"
#include "app/data/sample_browser.h"
#include "app/designer/design_place.h"
#include "app/hosts/host_key_strip.h"
#include "app/hosts/hosts_place.h"
#include "app/shell/desk_window.h"
#include "app/widgets/message_strip.h"
#include "app/widgets/page_frame.h"
#include "tests/gui/pictures/picture_data.h"

namespace {

using namespace trainyard;

struct Picture {
    QString name;
    std::function<void(DeskWindow&)> arrange;
};

template <typename T>
T& placeOf(DeskWindow& desk)
{
    auto* place = desk.window().findChild<T*>();
    desk.window().showPlace(place);
    place->template findChild<PageFrame*>()->strip()->clear(); // of the picture before
    return *place;
}

void fill(DeskWindow& desk)
{
    Session& session = desk.session();
    for (const HostEntry& host : pictures::hosts())
        (void)session.hosts().add(host);
    const auto sets = pictures::dataSets();
    for (auto set = sets.rbegin(); set != sets.rend(); ++set)
        session.dataSets().put(*set);
    session.document().reset(pictures::goodSpec());
}

void showSamples(DeskWindow& desk)
{
    auto& place = placeOf<DataPlace>(desk);
    auto* list = place.findChild<QListView*>();
    for (const int row : {1, 0}) // leaves the form of the picture before
        list->setCurrentIndex(desk.session().dataSets().index(row));
    desk.session().verifier().cancel(); // the folder is made up
    place.findChild<DataSetPanel*>()->samples().setSamples(pictures::samples());
}

void showHosts(DeskWindow& desk)
{
    auto& place = placeOf<HostsPlace>(desk);
    place.findChild<HostKeyStrip*>()->forget(QStringLiteral("gpu-11"));
    place.selectHost(QStringLiteral("gpu-03"));
}

void showHostTrouble(DeskWindow& desk)
{
    auto& place = placeOf<HostsPlace>(desk);
    place.selectHost(pictures::hosts()[1].name);
    place.findChild<HostKeyStrip*>()->ask(QStringLiteral("gpu-11"), pictures::hostKeyQuestion());
}

void showChangedKey(DeskWindow& desk)
{
    auto& place = placeOf<HostsPlace>(desk);
    place.findChild<HostKeyStrip*>()->forget(QStringLiteral("gpu-11"));
    place.selectHost(QStringLiteral("old-cluster"));
    place.findChild<PageFrame*>()->strip()->showError(pictures::changedHostKey());
}

void showPreparing(DeskWindow& desk)
{
    showSamples(desk);
    auto* panel = placeOf<DataPlace>(desk).findChild<PreparePanel*>();
    panel->begin(pictures::prepareOptions());
    panel->setProgress(pictures::halfPrepared());
}

void showPrepareForm(DeskWindow& desk)
{
    auto& place = placeOf<DataPlace>(desk);
    place.findChild<PreparePanel*>()->hide();
    place.openPrepareForm();
    auto* form = place.findChild<PrepareForm*>();
    PrepareOptions options = pictures::prepareOptions();
    options.outputFolder.clear();
    form->setOptions(options);
    for (auto* button : form->findChildren<QPushButton*>()) {
        if (button->accessibleName() == QLatin1String("Prepare"))
            button->click(); // shows what is missing
    }
}

void showDesignErrors(DeskWindow& desk)
{
    placeOf<DesignPlace>(desk);
    desk.session().document().reset(pictures::badSpec());
}

void showLaunching(DeskWindow& desk)
{
    desk.session().document().reset(pictures::goodSpec());
    auto* strip = placeOf<DesignPlace>(desk).findChild<PageFrame*>()->strip();
    strip->showProgress(QStringLiteral("Launching bert-large-phase1"), 0.42,
                        QStringLiteral("sending the engine to gpu-11: 223 of 530 MiB"));
    strip->addAction(QStringLiteral("Cancel"), [] {});
}

const QList<Picture>& emptyPictures()
{
    static const QList<Picture> list{{"hosts-empty", [](DeskWindow& desk) { placeOf<HostsPlace>(desk); }},
                                     {"data-empty", [](DeskWindow& desk) { placeOf<DataPlace>(desk); }},
                                     {"design-new", [](DeskWindow& desk) { placeOf<DesignPlace>(desk); }}};
    return list;
}

const QList<Picture>& filledPictures()
{
    static const QList<Picture> list{{"hosts", showHosts},
                                     {"hosts-trouble", showHostTrouble},
                                     {"hosts-changed-key", showChangedKey},
                                     {"data", showSamples},
                                     {"data-preparing", showPreparing},
                                     {"data-form", showPrepareForm},
                                     {"design", [](DeskWindow& desk) { placeOf<DesignPlace>(desk); }},
                                     {"design-errors", showDesignErrors},
                                     {"design-launching", showLaunching}};
    return list;
}

void save(DeskWindow& desk, const QList<Picture>& list, const QDir& folder, const QString& suffix)
{
    for (const Picture& picture : list) {
        picture.arrange(desk);
        for (int i = 0; i < 3; ++i)
            QApplication::processEvents(); // layouts settle in steps
        const QString file = folder.filePath(picture.name + suffix + QStringLiteral(".png"));
        if (!desk.window().grab().save(file))
            std::fprintf(stderr, "pictures: %s could not be written\n", qPrintable(file));
    }
}

} // namespace

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM",
            qgetenv("QT_QPA_PLATFORM").isEmpty() ? "offscreen" : qgetenv("QT_QPA_PLATFORM"));
    QApplication application(argc, argv);
    if (argc != 2) {
        std::fprintf(stderr, "usage: pictures OUT_DIR\n");
        return 2;
    }
    QDir().mkpath(QString::fromLocal8Bit(argv[1]));
    const QDir folder(QString::fromLocal8Bit(argv[1]));
    for (const QSize size : {QSize(1280, 800), QSize(2560, 1440)}) {
        QTemporaryDir data;
        DeskWindow desk(application, data.path().toStdString());
        desk.window().resize(size);
        desk.window().show();
        for (const bool full : {false, true}) {
            if (full)
                fill(desk);
            for (const auto scheme : {ColourScheme::Light, ColourScheme::Dark}) {
                dress(application, scheme);
                const QString suffix = QStringLiteral("-%1-%2").arg(
                    scheme == ColourScheme::Dark ? QStringLiteral("dark") : QStringLiteral("light"),
                    QString::number(size.width()));
                save(desk, full ? filledPictures() : emptyPictures(), folder, suffix);
            }
        }
    }
    return 0;
}
