#pragma once

#include <functional>

#include <QByteArray>
#include <QJsonObject>
#include <QObject>

#include "engine/base/units.h"
#include "remote/target/target.h"

namespace trainyard {

constexpr qsizetype kMaxWholeFile = 16 * kMiB;

/// Reads a file of the host to its end, piece by piece. `request` is one of the operations that give a piece
/// of a file (`read`, `data-set`), without offset and limit. Failed when it is larger than kMaxWholeFile.
/// `done` comes once, later; dropped when `context` is gone.
void readWhole(Target& target, const QJsonObject& request, const QObject* context,
               std::function<void(const Result<QByteArray>&)> done);

} // namespace trainyard
