#pragma once

#include <functional>

#include <QByteArray>
#include <QJsonObject>
#include <QObject>

#include "engine/base/units.h"
#include "remote/target/target.h"

namespace trainyard {

/// A piece of a file of the host.
struct FilePiece {
    QByteArray bytes;
    qint64 fileSize = 0; ///< as the host says
};

/// Reads `limit` bytes of a file from byte `offset`. `request` is one of the operations that return a piece
/// of a file (`read`, `data-set`, `weights`), without offset and limit. Never holds more than `limit` bytes:
/// Failed for a host that sends more than requested. `done` and `context` as for Target::call.
Target::CallId readPiece(Target& target, QJsonObject request, qint64 offset, qint64 limit,
                         const QObject* context, std::function<void(const Result<FilePiece>&)> done);

constexpr qsizetype kMaxWholeFile = 16 * kMiB;

/// Reads a file of the host to its end, piece by piece. `request` is one of the operations that give a piece
/// of a file (`read`, `data-set`, `weights`), without offset and limit. Failed when it is larger than
/// kMaxWholeFile. `done` comes once, later; dropped when `context` is gone.
void readWhole(Target& target, const QJsonObject& request, const QObject* context,
               std::function<void(const Result<QByteArray>&)> done);

} // namespace trainyard
