#include "app/widgets/wrapped_tool_tip.h"

namespace trainyard {

QString wrappedToolTip(const QString& text)
{
    const QString html = text.toHtmlEscaped().replace(QLatin1Char('\n'), QStringLiteral("<br>"));
    return QStringLiteral("<qt>%1</qt>").arg(html);
}

} // namespace trainyard
