#include "app/share/private_text.h"

#include <algorithm>

#include <QRegularExpression>

namespace trainyard {

namespace {
const QString kHidden = QStringLiteral("…");
}

PrivateText::PrivateText(const QStringList& hosts)
{
    for (const QString& host : hosts) {
        if (host != QLatin1String("localhost") && !host.isEmpty())
            m_hosts << host << host.section(QLatin1Char('@'), -1).section(QLatin1Char(':'), 0, 0);
    }
    m_hosts.removeDuplicates();
    std::ranges::sort(m_hosts, std::ranges::greater(), &QString::size);
}

QString PrivateText::without(const QString& text) const
{
    static const QRegularExpression path(
        QStringLiteral("(?<![\\w./:])(~|\\$HOME)?/[\\w.@%+~-]+(/[\\w.@%+~-]*)*"));
    QString shown = text;
    shown.replace(path, kHidden);
    for (const QString& host : m_hosts) {
        const QRegularExpression word(QStringLiteral("(?<![\\w.-])") + QRegularExpression::escape(host) +
                                      QStringLiteral("(?![\\w-])"));
        shown.replace(word, kHidden);
    }
    return shown;
}

} // namespace trainyard
