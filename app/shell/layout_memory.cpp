#include "app/shell/layout_memory.h"

#include <QSettings>

#include "app/workspace/panel_area.h"

namespace trainyard {

namespace {

QString keyOf(const QString& place, PanelArea::SizeClass sizeClass)
{
    return QStringLiteral("panels/%1-%2")
        .arg(place,
             sizeClass == PanelArea::SizeClass::Wide ? QLatin1String("wide") : QLatin1String("narrow"));
}

} // namespace

void LayoutMemory::watch(const QString& place, PanelArea& panels)
{
    QObject::connect(&panels, &PanelArea::layoutChanged, &panels, [this, place, &panels] {
        m_settings.setValue(keyOf(place, panels.sizeClass()), panels.layoutState());
    });
    QObject::connect(&panels, &PanelArea::sizeClassChanged, &panels, [this, place, &panels] {
        const QByteArray state = m_settings.value(keyOf(place, panels.sizeClass())).toByteArray();
        if (!state.isEmpty())
            panels.setLayoutState(state);
    });
}

} // namespace trainyard
