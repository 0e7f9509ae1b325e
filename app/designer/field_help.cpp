#include "app/designer/field_help.h"

#include <QRegularExpression>
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

QString withPaperLinks(const QString& text)
{
    static const QRegularExpression paper(QStringLiteral("arXiv:(\\d{4}\\.\\d{4,5})"));
    return text.toHtmlEscaped().replace(
        paper, QStringLiteral("<a href=\"https://arxiv.org/abs/\\1\">arXiv:\\1</a>"));
}

} // namespace trainyard
