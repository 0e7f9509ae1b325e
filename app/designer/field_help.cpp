#include "app/designer/field_help.h"

#include <QVariant>
#include <QWidget>

#include "app/base/display_text.h"

namespace trainyard {

namespace {
constexpr const char* kHelp = "fieldHelp"; ///< a dynamic property
}

void explainField(QWidget* control, const QString& name, const QString& help)
{
    control->setAccessibleName(name);
    control->setAccessibleDescription(help);
    control->setToolTip(wrappedToolTip(help));
    control->setProperty(kHelp, help);
}

QString fieldHelp(const QWidget* control)
{
    for (const QWidget* widget = control; widget; widget = widget->parentWidget()) {
        if (const QVariant help = widget->property(kHelp); help.isValid())
            return help.toString();
    }
    return {};
}

} // namespace trainyard
