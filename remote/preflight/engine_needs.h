#pragma once

#include <QJsonObject>
#include <QMap>
#include <QSet>
#include <QString>

#include "engine/base/result.h"
#include "remote/deploy/bundle.h"

namespace trainyard {

/// What the programs of an engine bundle ask of a host, read from their ELF files: libraries that the bundle
/// does not bring along, with the symbol versions that they must have. A plain value.
struct EngineNeeds {
    using Libraries = QMap<QString, QSet<QString>>;

    QString bundle;       ///< its id; empty = this desk has no engine to send
    QString architecture; ///< "x86_64"
    Libraries libraries;
    Libraries cudaLibraries; ///< of what only ranks on CUDA devices load
    int cuda = 0;            ///< major version of the CUDA run-time; 0 = the bundle has no CUDA part
    qint64 bytes = 0;        ///< size of the bundle without its CUDA part

    /// The field `needs` of a `probe`: both kinds of libraries.
    QJsonObject request() const;
};

/// BadInput when one of its ELF files is damaged, or when they are of several architectures. Reads the heads
/// of all files, which takes milliseconds.
Result<EngineNeeds> engineNeeds(const Bundle& bundle);

/// Of the bundle that this desk would send; without one an empty value.
EngineNeeds needsOfDesk();

} // namespace trainyard
