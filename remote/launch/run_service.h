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
#include "remote/launch/run_checkpoints.h"
#include "remote/launch/run_operation.h"
#include "remote/launch/stop_operation.h"
#include "remote/target/target_pool.h"

namespace trainyard {

struct StartPlan;

/// A data job for a host.
struct DataJob {
    /// Of trainyard-prepare: "prepare", "documents", "verify"; of trainyard-worker: "eval", "export", "try".
    QString command = QStringLiteral("prepare");
    QString name;          ///< for people; a plain name
    QStringList arguments; ///< without --run-dir; the job runs in the run's directory
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

/// Changes that apply from a resumed attempt on.
struct ResumeChanges {
    double learningRate = 0; ///< peak of the schedule; 0 = as before
    /// Layout and hosts from this specification: layout, memory, batch and nodes, of which the first stays;
    /// nullopt = unchanged. The model must fit then. Refused through Slurm.
    std::optional<RunSpec> layout{};
    /// Go back to the checkpoint of this step, 0 = start over; nullopt = the newest complete one.
    std::optional<qint64> step{};
};

/// A run as its host reports it (op `runs`).
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

/// Starts, resumes and stops runs on hosts. The runs belong to the hosts: closing the application changes
/// nothing. GUI thread; every method returns immediately. The pool must outlive the service.
class RunService : public QObject {
    Q_OBJECT

public:
    explicit RunService(TargetPool& targets, QObject* parent = nullptr);

    /// Validates the specification, deploys the engine to every host of spec.cluster, checks the
    /// specification against the data set and the memory found there, creates the run and starts it on the
    /// first host. "localhost" alone needs no deployment: it uses the executables next to this program.
    /// Writes the local record of the run (spec.json, host.json, and the data set's manifest as dataset.json)
    /// before anything starts. The returned operation belongs to the service and deletes itself after
    /// finished().
    /// Where hosts lack a data set that this computer or another host has, `sendData` says what to do; the
    /// run's specification then names the folder to which it was sent.
    RunOperation* launch(const RunSpec& spec, SendData sendData = SendData::Refuse);
    /// Resumes from the newest complete checkpoint, or from another one, with the next attempt. Refused while
    /// the run is active, when it is finished, and when it has checkpoints but none can be loaded.
    RunOperation* resume(const QString& runId, const ResumeChanges& changes = {});
    /// Returns true while a launch, a resume or the start of a data job is in progress, which ends with this
    /// service.
    bool isStarting() const;
    /// Ends every process of the run on every host, and succeeds only when they are gone.
    RunOperation* stop(const QString& runId, const StopOptions& options = {});
    /// Asks the run to publish a checkpoint after its present step and to continue; calls `done` when the
    /// head has recorded the request. `context` as for Target::call.
    void requestCheckpoint(const QString& runId, const QObject* context,
                           std::function<void(const Status&)> done);
    /// Lists the checkpoints of a run, as all its hosts hold them together. Each host verifies hashes for at
    /// most `verification`, and reads only the index of the rest. `context` as for Target::call.
    void listCheckpoints(const QString& runId, std::chrono::milliseconds verification, const QObject* context,
                         std::function<void(const Result<QList<RunCheckpoint>>&)> done);
    /// A data job on `host`: `arguments` as for `trainyard-prepare prepare`, without --run-dir.
    RunOperation* launchPrepare(const QString& host, const QString& name, const QStringList& arguments);
    /// As launchPrepare() for any command that can be a job.
    RunOperation* launchData(const QString& host, const DataJob& job);
    /// Probes the specification's hosts, one rank on each slot, and leaves probes.json in the run's directory
    /// on the head. Needs neither data set nor memory. Not through Slurm.
    RunOperation* launchProbe(const RunSpec& spec);

    /// Lists current and past runs on `host`. `context` as for Target::call.
    void listRuns(const QString& host, const QObject* context,
                  std::function<void(const Result<QList<HostRun>>&)> done);
    /// Lists files and folders of a folder on `host`, by name. `context` as for Target::call.
    void listFolder(const QString& host, const QString& folder, const QObject* context,
                    std::function<void(const Result<HostFolder>&)> done);
    /// Reads a whole file of a run's directory on `host`. `context` as for Target::call.
    void readRunFile(const QString& host, const QString& runId, const QString& file, const QObject* context,
                     std::function<void(const Result<QByteArray>&)> done);
    /// Removes a finished run from these hosts and from this computer: for jobs whose only purpose is their
    /// answer. `done` names hosts that could not be asked.
    void removeRun(const QString& runId, const QStringList& hosts, std::function<void(const Status&)> done);
    /// Removes the folder of a finished run, with every checkpoint, from each of its hosts; keeps the local
    /// copy. A host refuses while anything of the run is alive there. `done` names every host that still has
    /// it or could not be asked; may be repeated. `context` as for Target::call.
    void removeFromHosts(const QString& runId, const QObject* context,
                         std::function<void(const Status&)> done);
    /// Reads the text of manifest.json of the data set in `folder` on `host`. `context` as for Target::call.
    void readManifest(const QString& host, const QString& folder, const QObject* context,
                      std::function<void(const Result<QByteArray>&)> done);
    /// Registers a run of `host` here so that it can be followed: fetches its specification and hosts. After
    /// attaching read-only, stop(), resume() and requestCheckpoint() refuse it until it is attached again.
    RunOperation* attach(const QString& host, const QString& runId, RunAccess access = RunAccess::Full);
    /// Reads a piece of a rank's log: from byte `offset` (negative = from the end), at most `limit` bytes.
    void readLog(const QString& runId, int rank, qint64 offset, qint64 limit, const QObject* context,
                 std::function<void(const Result<LogPiece>&)> done);

    /// Reads the current operation of a rank and its last collectives from its flight ring.
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
