#pragma once

#include <QJsonObject>

namespace trainyard {

/// An agent's message with every text in it, names included, as harmlessText() gives it: from here on they
/// may be shown. Line breaks stay.
QJsonObject harmlessJson(const QJsonObject& message);

} // namespace trainyard
