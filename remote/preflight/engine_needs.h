#pragma once

#include <QJsonObject>
#include <QMap>
#include <QSet>
#include <QString>

#include "engine/base/result.h"
#include "remote/deploy/bundle.h"

namespace trainyard {

/// The requirements of an engine bundle's programs on a host, read from their ELF files: libraries that the
/// bundle does not contain, with the required symbol versions. A plain value.
struct EngineNeeds {
    using Libraries = QMap<QString, QSet<QString>>;

    QString bundle;          ///< its id; empty = this desk has no engine to send
    QString architecture;    ///< "x86_64"
    Libraries libraries;     ///< with the host's C library and MPI
    Libraries cudaLibraries; ///< of what only ranks on CUDA devices load
    QSet<QString>
        runtime; ///< those of `libraries` and others that the bundle's own C library and MPI provide
    /// Ranks run with them, so a host needs no MPI and only what `runtime` does not have.
    bool usesRuntime = false;
    QString kernel;   ///< oldest Linux that its C library runs on, "3.2.0"; empty = it has none
    int cuda = 0;     ///< major version of the CUDA run-time; 0 = the bundle has no CUDA part
    qint64 bytes = 0; ///< size of the bundle without its CUDA part

    /// The same for ranks with the host's MPI (launch.mpi "node", batch jobs).
    EngineNeeds withMpiOfHost() const;
    /// The field `needs` of a `probe`: both kinds of libraries.
    QJsonObject request() const;
};

/// BadInput when one of its ELF files is damaged, or when they have different architectures. Reads the heads
/// of all files, which takes milliseconds.
Result<EngineNeeds> engineNeeds(const Bundle& bundle);

/// The requirements of the local bundle; without one an empty value.
EngineNeeds needsOfDesk();

} // namespace trainyard
