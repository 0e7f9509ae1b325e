#pragma once

#include <QString>
#include <QStringList>

namespace trainyard {

/// Text that people write or that hosts report, with the names of hosts and absolute paths replaced by "…".
class PrivateText {
public:
    /// `hosts`: as specifications name them; "localhost" is no secret.
    explicit PrivateText(const QStringList& hosts);

    QString without(const QString& text) const;
    /// Whether anything in `text` would be replaced.
    bool hides(const QString& text) const { return without(text) != text; }

private:
    QStringList m_hosts; ///< the longest first: one may be the beginning of another
};

} // namespace trainyard
