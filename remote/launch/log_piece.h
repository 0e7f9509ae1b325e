#pragma once

#include <QByteArray>

namespace trainyard {

/// A piece of a log, with where it lies: who asked for the end of a log goes on from there.
struct LogPiece {
    qint64 offset = 0; ///< of the first byte
    QByteArray bytes;
};

} // namespace trainyard
