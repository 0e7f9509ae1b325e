#include <QAction>

#include "app/designer/design_page.h"
#include "app/shell/command_palette.h"
#include "app/shell/shortcut_sheet.h"
#include "app/shell/tour.h"
#include "tests/gui/pictures/picture.h"

namespace trainyard::pictures {

namespace {

void hideWhatIsOver(DeskWindow& desk)
{
    for (QWidget* widget : std::initializer_list<QWidget*>{desk.window().findChild<CommandPalette*>(),
                                                           desk.window().findChild<ShortcutSheet*>(),
                                                           desk.window().findChild<Tour*>()})
        widget->hide();
}

/// Over the page Design, which has the most commands.
void run(DeskWindow& desk, const QString& command)
{
    hideWhatIsOver(desk);
    placeOf<DesignPage>(desk);
    for (QAction* action : desk.window().actions()) {
        if (action->text() == command)
            action->trigger();
    }
}

} // namespace

const QList<Picture>& shellPictures()
{
    static const QList<Picture> list{
        {"shell-commands", [](DeskWindow& desk) { run(desk, "Commands"); }},
        {"shell-keys", [](DeskWindow& desk) { run(desk, "Keyboard shortcuts"); }},
        {"shell-tour", [](DeskWindow& desk) { run(desk, "Take the tour"); }},
    };
    return list;
}

} // namespace trainyard::pictures
