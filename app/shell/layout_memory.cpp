#include "app/shell/layout_memory.h"

#include <QSettings>

#include "app/workspace/panel_area.h"

namespace trainyard {

namespace {

QString keyOf(const QString& page, PanelArea::SizeClass sizeClass)
{
    return QStringLiteral("panels/%1-%2")
        .arg(page, sizeClass == PanelArea::SizeClass::Wide ? QLatin1String("wide") : QLatin1String("narrow"));
}

} // namespace

void LayoutMemory::watch(const QString& page, PanelArea& panels)
{
    QObject::connect(&panels, &PanelArea::layoutChanged, &panels, [this, page, &panels] {
        m_settings.setValue(keyOf(page, panels.sizeClass()), panels.layoutState());
    });
    QObject::connect(&panels, &PanelArea::sizeClassChanged, &panels, [this, page, &panels] {
        const QByteArray state = m_settings.value(keyOf(page, panels.sizeClass())).toByteArray();
        if (!state.isEmpty())
            panels.setLayoutState(state);
    });
}

} // namespace trainyard
