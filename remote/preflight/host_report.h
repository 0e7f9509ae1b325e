#pragma once

#include <QJsonObject>
#include <QList>
#include <QMetaType>
#include <QString>

#include "engine/base/processor.h"
#include "engine/base/result.h"
#include "remote/target/target.h"

namespace trainyard {

struct EngineNeeds;

enum class Verdict { Ok, Warn, Fail };

/// One line of a preflight report.
struct CheckRow {
    QString check; ///< what was looked at: "clock", "memory", "MPI"
    QString found; ///< what is there: "OpenMPI 4.1.4"
    Verdict verdict = Verdict::Ok;
    QString fix = {}; ///< what to do; empty when Ok
};

/// How one host reaches another one: ssh as mpirun uses it, or TCP as the ranks do.
struct LinkRow {
    enum class Way { Tcp, Ssh };
    QString from;
    QString to;
    Way way = Way::Tcp;
    QString found; ///< "0.12 ms, 1.2 GB/s", "refused on 10.1.0.2"
    Verdict verdict = Verdict::Ok;
    QString fix;
    double latencyMs = 0;      ///< 0 = not measured
    double bytesPerSecond = 0; ///< 0 = not measured: only neighbours of a ring are
};

/// Who uses an accelerator, or the processors and main memory, of a host.
struct UsedBy {
    QString user;      ///< account; empty = unknown
    QString run = {};  ///< id, if it is a run of our own account there
    QString program{}; ///< on an accelerator: "python"
    qint64 pid = 0;    ///< on an accelerator
    double cores = 0;  ///< of the host
    qint64 memoryBytes = 0;
};

/// One accelerator of a host, or a part of one that a rank can have for itself (MIG).
struct DeviceFacts {
    QString name; ///< "NVIDIA H200"
    qint64 memoryBytes = 0;
    qint64 usedBytes = 0;
    double utilisation = 0; ///< 0..1
    QString driver = {};    ///< "580.65.06"
    QString compute = {};   ///< compute capability: "9.0"
    qint64 eccErrors = 0;   ///< uncorrected since the driver started; 0 where nobody counts
    bool mig = false;       ///< cut into instances, or one of them
    QList<UsedBy> users = {};
    int index = 0;             ///< of the GPU, as nvidia-smi counts
    QString uuid = {};         ///< "GPU-..." or, of an instance, "MIG-..."; empty = the agent does not tell
    QString instance = {};     ///< profile of an instance: "3g.20gb"; empty = a whole GPU
    qint64 gpuMemoryBytes = 0; ///< of the GPU that the instance is a part of

    bool isInstance() const { return !instance.isEmpty(); }
};

/// The host's wall clock against ours, from several pings.
struct ClockReading {
    double latencyMs = 0; ///< smallest round trip
    double offsetMs = 0;  ///< host minus desk, at the smallest round trip; wrong by at most half of it
};

/// Facts about a host in addition to its agent's answer to `probe`.
struct LinkFacts {
    AgentFacts agent;
    ClockReading clock;
    double uploadBytesPerSecond = 0; ///< from the desk; 0 = not measured
    bool hasEngine = false;          ///< the desk's bundle is there already
};

/// The facts that other pages take from a preflight: the planner's memory, the designer's slots.
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
    QList<UsedBy> occupants; ///< of processors and main memory, most cores first
    QString mpi;             ///< version of mpirun; empty = none
    QString slurm;           ///< empty = none
    LinkFacts link;
    std::optional<ProcessorMath> math; ///< nullopt = the agent does not tell
    QJsonObject raw;                   ///< the agent's whole answer to `probe`

    bool isThisMachine() const { return host == QLatin1String("localhost"); }
};

struct HostReport {
    QString host;
    QList<CheckRow> rows;
    HostFacts facts;
    QList<LinkRow> links = {}; ///< from this host to the others of the same preflight

    bool wasReached() const { return !facts.hostName.isEmpty(); }
    Verdict worst() const; ///< Fail = a run cannot work there
};

/// Parses the agent's answer to `probe`; missing values stay empty or 0.
HostFacts readFacts(const QString& host, const QJsonObject& probe, const LinkFacts& link);

/// Evaluates a host that answered, by itself: one row for each check, with the fix where the verdict is not
/// Ok. `engine` is the engine that would be uploaded there; this machine runs its own.
HostReport evaluateHost(const HostFacts& facts, const EngineNeeds& engine);

/// The report of a host that could not be asked.
HostReport unreachableReport(const QString& host, const Error& error);

} // namespace trainyard

Q_DECLARE_METATYPE(trainyard::HostReport)
