#pragma once

#include <QJsonObject>

namespace trainyard {

/// Applies harmlessText() to every text of an agent's message, names included, so that they may be shown.
/// Line breaks stay.
QJsonObject harmlessJson(const QJsonObject& message);

} // namespace trainyard
