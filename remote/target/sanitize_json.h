#pragma once

#include <QJsonObject>

namespace trainyard {

/// Applies sanitizeText() to every text of an agent's message, names included, so that they may be shown.
/// Line breaks stay.
QJsonObject sanitizeJson(const QJsonObject& message);

} // namespace trainyard
