#pragma once

#include <functional>

#include <QList>
#include <QString>

#include "app/designer/launch_bar.h"
#include "app/shell/desk_window.h"
#include "app/workspace/message_bar.h"
#include "app/workspace/page_frame.h"

namespace trainyard::pictures {

/// One picture of the window: what it is called and how the window is brought into that state.
struct Picture {
    QString name;
    std::function<void(DeskWindow&)> arrange;
};

/// Every page while the desk knows nothing.
const QList<Picture>& emptyPictures();
/// What opens over a page: commands, keys, the tour.
const QList<Picture>& shellPictures();
/// Hosts, Data and Design of a desk that fillDesk() has filled.
const QList<Picture>& placePictures();
void fillDesk(DeskWindow& desk);
/// Runs, Compare, Reports and Try of a desk whose runs are those of writeRuns() (picture_runs.h).
const QList<Picture>& runPictures();
/// Runs, Compare and Reports of whatever runs the desk has.
const QList<Picture>& recordedRunPictures();

/// Goes to the page of that type, without a message or a launch of the picture before.
template <typename T>
T& placeOf(DeskWindow& desk)
{
    auto* page = desk.window().findChild<T*>();
    desk.window().showPage(page);
    page->template findChild<PageFrame*>()->messageBar()->clear();
    for (auto* launch : page->template findChildren<LaunchBar*>())
        launch->clear();
    return *page;
}

} // namespace trainyard::pictures
