#include "app/designer/paper_links.h"

#include <QRegularExpression>

namespace trainyard {

QString withPaperLinks(const QString& text)
{
    static const QRegularExpression paper(QStringLiteral("arXiv:(\\d{4}\\.\\d{4,5})"));
    return text.toHtmlEscaped().replace(
        paper, QStringLiteral("<a href=\"https://arxiv.org/abs/\\1\">arXiv:\\1</a>"));
}

} // namespace trainyard
