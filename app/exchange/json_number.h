#pragma once

#include <cmath>
#include <optional>

#include <QJsonValue>

namespace trainyard {

/// A number, also one that JSON lacks and that W&B writes as a text: "NaN", "Infinity".
inline std::optional<double> numberOf(const QJsonValue& value)
{
    const QString text = value.toString();
    if (text == u"NaN")
        return std::nan("");
    if (text == u"Infinity" || text == u"-Infinity")
        return text.startsWith(u'-') ? -INFINITY : INFINITY;
    return value.isDouble() ? std::optional(value.toDouble()) : std::nullopt;
}

} // namespace trainyard
