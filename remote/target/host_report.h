#pragma once

#include <QJsonObject>
#include <QList>
#include <QMetaType>
#include <QString>

#include "engine/base/result.h"

namespace trainyard {

enum class Verdict { Ok, Warn, Fail };

/// One line of a preflight report.
struct CheckRow {
    QString check; ///< what was looked at: "clock", "memory", "MPI"
    QString found; ///< what is there: "OpenMPI 4.1.4"
    Verdict verdict = Verdict::Ok;
    QString fix; ///< what to do; empty when Ok
};

/// One accelerator of a host.
struct DeviceFacts {
    QString name; ///< "NVIDIA H200"
    qint64 memoryBytes = 0;
};

/// The host's wall clock against ours, from several pings.
struct ClockReading {
    double latencyMs = 0; ///< smallest round trip
    double offsetMs = 0;  ///< host minus desk, at the smallest round trip; wrong by at most half of it
};

/// What other pages take from a preflight: the planner's memory, the designer's slots.
struct HostFacts {
    QString host;     ///< as the user calls it
    QString hostName; ///< as it calls itself
    QString os;
    QString architecture;
    QString libc;
    QString cpu;
    int cores = 0;
    qint64 memoryBytes = 0;
    qint64 diskFreeBytes = 0; ///< where the agent keeps bundles and runs
    QList<DeviceFacts> devices;
    QString mpi;   ///< version of mpirun; empty = none
    QString slurm; ///< empty = none
    ClockReading clock;
    QJsonObject raw; ///< the agent's whole answer to `probe`
};

struct HostReport {
    QString host;
    QList<CheckRow> rows;
    HostFacts facts;

    Verdict worst() const; ///< Fail = a run cannot work there
};

/// Reads the agent's answer to `probe`; what is missing in it stays empty or 0.
HostFacts readFacts(const QString& host, const QJsonObject& probe, const ClockReading& clock);

/// Judges a host that answered. `glibc` is what the engine of this desk was built for ("2.36").
HostReport judgeHost(const HostFacts& facts, const QString& agentVersion, const QString& glibc);

/// The report of a host that could not be asked.
HostReport unreachableReport(const QString& host, const Error& error);

} // namespace trainyard

Q_DECLARE_METATYPE(trainyard::HostReport)
