#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include <QList>
#include <QObject>
#include <QString>
#include <QStringList>

#include "engine/base/result.h"
#include "engine/records/flight_ring.h"
#include "engine/records/record.h"
#include "engine/spec/run_spec.h"
#include "remote/launch/desk_run.h"
#include "remote/launch/rank_file_reader.h"
#include "remote/launch/run_operation.h"
#include "remote/launch/stop_operation.h"
#include "remote/target/target_pool.h"

namespace trainyard {

struct StartPlan;

/// What a host is to do with data.
struct DataJob {
    QString command = QStringLiteral("prepare"); ///< of trainyard-prepare: "prepare", "documents", "verify"
    QString name;                                ///< for people; a plain name
    QStringList arguments;                       ///< without --run-dir; the job runs in the run's directory
};

/// A folder of a host, as its user sees it.
struct HostFolder {
    struct Entry {
        QString name;
        qint64 size = 0;
        bool folder = false;
    };
    QString path;
    QString home; ///< of the user
    QList<Entry> entries;
};

/// What is otherwise from a resumed attempt on.
struct ResumeChanges {
    double learningRate = 0; ///< peak of the schedule; 0 = as before
    /// Spread over its hosts as this specification says: its layout, memory, batch and slots; nothing = as
    /// before. The model must fit then. Refused through Slurm.
    std::optional<RunSpec> layout{};
    /// Go back to the checkpoint of this step, 0 = start over; nothing = the newest whole one.
    std::optional<qint64> step{};
};

/// A checkpoint as the run's head lists it (op `checkpoints`).
struct RunCheckpoint {
    qint64 step = 0;
    QString folder;
    QString state;  ///< "whole", "damaged", "unreadable", "abandoned": of a line that the run has left
    QString reason; ///< why it is not whole, or which line it is of
    qint64 bytes = 0;
    bool verified = false; ///< compared with its hashes
    bool latest = false;   ///< `latest` names it
    bool next = false;     ///< a resume takes it
};

/// A run as its host tells it (op `runs`).
struct HostRun {
    QString id;
    QString name;
    RunKind kind = RunKind::Train;
    RunState state = RunState::Pending;
    QString reason; ///< of Failed and Stopped
    qint64 step = 0;
    qint64 steps = 0;
    int attempt = 1;
};

/// Starts, resumes and stops runs on hosts. The runs belong to the hosts: closing the desk changes nothing.
/// GUI thread; every method returns at once. The pool must outlive the service.
class RunService : public QObject {
    Q_OBJECT

public:
    explicit RunService(TargetPool& targets, QObject* parent = nullptr);

    /// Validates, deploys the engine to every host of spec.cluster, holds the specification against data set
    /// and memory found there, makes the run and starts it on the first one. "localhost" alone needs no
    /// deployment: the executables beside this program are used. The desk's copy of the run (spec.json,
    /// host.json, and the data set's manifest as dataset.json) is written before anything starts. The
    /// returned operation belongs to the service and deletes itself after finished().
    RunOperation* launch(const RunSpec& spec);
    /// Goes on from the newest whole checkpoint, or from another one, with the next attempt. Refused while
    /// the run is at work, when it is finished, and when it has checkpoints of which none can be loaded.
    RunOperation* resume(const QString& runId, const ResumeChanges& changes = {});
    /// A launch, a resume or the start of a data job is under way, which ends with this service.
    bool isStarting() const;
    /// Ends every process of the run on every host, and says so only when they are gone.
    RunOperation* stop(const QString& runId, const StopOptions& options = {});
    /// Asks the run to publish a checkpoint after its present step and to go on; `done` when the head has
    /// taken it down. `context` as for Target::call.
    void requestCheckpoint(const QString& runId, const QObject* context,
                           std::function<void(const Status&)> done);
    /// The checkpoints of a run, newest step first. The head compares them with their hashes for at most
    /// `verification`; of the rest it looks at the index alone.
    void listCheckpoints(const QString& runId, std::chrono::milliseconds verification, const QObject* context,
                         std::function<void(const Result<QList<RunCheckpoint>>&)> done);
    /// A data job on `host`: `arguments` as for `trainyard-prepare prepare`, without --run-dir.
    RunOperation* launchPrepare(const QString& host, const QString& name, const QStringList& arguments);
    /// As launchPrepare() for any command of `trainyard-prepare` that can be a job.
    RunOperation* launchData(const QString& host, const DataJob& job);
    /// Probes of the specification's hosts, one rank on each slot; they leave probes.json in the run's
    /// directory on the head. Neither data set nor memory is asked for. Not through Slurm.
    RunOperation* launchProbe(const RunSpec& spec);

    /// What runs and ran on `host`. `context` as for Target::call.
    void listRuns(const QString& host, const QObject* context,
                  std::function<void(const Result<QList<HostRun>>&)> done);
    /// The folder's files and folders on `host`, in order of name. `context` as for Target::call.
    void listFolder(const QString& host, const QString& folder, const QObject* context,
                    std::function<void(const Result<HostFolder>&)> done);
    /// A whole file of a run's directory on `host`. `context` as for Target::call.
    void readRunFile(const QString& host, const QString& runId, const QString& file, const QObject* context,
                     std::function<void(const Result<QByteArray>&)> done);
    /// Removes a run that is over from these hosts and from this desk: for jobs that only make an answer.
    /// `done` tells of hosts that could not be asked.
    void removeRun(const QString& runId, const QStringList& hosts, std::function<void(const Status&)> done);
    /// Removes the folder of a run that is over, with every checkpoint, from each of its hosts; what this
    /// desk has of it stays. Refused by a host where anything of it is alive. `done` tells of every host that
    /// still has it, or could not be asked; to ask again is fine. `context` as for Target::call.
    void removeFromHosts(const QString& runId, const QObject* context,
                         std::function<void(const Status&)> done);
    /// The text of manifest.json of the data set in `folder` on `host`. `context` as for Target::call.
    void readManifest(const QString& host, const QString& folder, const QObject* context,
                      std::function<void(const Result<QByteArray>&)> done);
    /// Makes a run of `host` known to this desk, so that it can be followed: fetches spec and hosts. Attached
    /// read-only, stop(), resume() and requestCheckpoint() refuse it until it is attached again.
    RunOperation* attach(const QString& host, const QString& runId, RunAccess access = RunAccess::Full);
    /// A piece of a rank's log: from byte `offset` (negative = from the end), at most `limit` bytes.
    void readLog(const QString& runId, int rank, qint64 offset, qint64 limit, const QObject* context,
                 std::function<void(const Result<LogPiece>&)> done);

    /// What a rank is doing and its last collectives, by its flight ring.
    void readRing(const QString& runId, int rank, const QObject* context,
                  std::function<void(const Result<FlightSnapshot>&)> done);

    TargetPool& targets() { return m_targets; }

signals:
    void runLaunched(const QString& runId);

private:
    RunOperation* begin(StartPlan plan);
    RunOperation* refuseToBegin(const QString& runId, const Error& error);

    TargetPool& m_targets;
};

} // namespace trainyard
