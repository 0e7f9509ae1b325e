#pragma once

#include <chrono>
#include <functional>

#include <QList>
#include <QString>

#include "engine/base/result.h"
#include "engine/records/flight_ring.h"
#include "remote/launch/rank_file_reader.h"

class QObject;

namespace trainyard {

class OpenRun;
struct ResumeChanges;
struct RunCheckpoint;

/// How a request to the hosts of a run goes on. The functions are not called any more when `context` is gone.
struct RunReply {
    const QObject* context = nullptr;
    std::function<void(const QString& text, double fraction)> progress; ///< fraction < 0 = unknown
    std::function<void(const Status& result)> done;                     ///< exactly once
};

/// What the desk asks of a run's hosts. Nothing here blocks; GUI thread.
class RunHosts {
public:
    virtual ~RunHosts() = default;

    /// Lets the run's records flow into `run` until one of the two is gone, over all attempts. No effect when
    /// they do already.
    virtual void follow(OpenRun& run) = 0;
    /// Ends every process of the run; `keep`: finishes the step and publishes a checkpoint first.
    virtual void stop(const QString& runId, bool keep, RunReply reply) = 0;
    /// Goes on from the newest whole checkpoint, or from the one that `changes` names.
    virtual void resume(const QString& runId, const ResumeChanges& changes, RunReply reply) = 0;
    /// Publishes a checkpoint after the present step, without stopping.
    virtual void checkpoint(const QString& runId, RunReply reply) = 0;
    /// The run's checkpoints, newest first, compared with their hashes for at most `verification`.
    virtual void listCheckpoints(const QString& runId, std::chrono::milliseconds verification,
                                 const QObject* context,
                                 std::function<void(const Result<QList<RunCheckpoint>>&)> done) = 0;
    /// Removes the folder of a run that is over, with every checkpoint, from each of its hosts.
    virtual void removeFromHosts(const QString& runId, RunReply reply) = 0;
    /// A piece of a rank's log from byte `offset`, at most `limit` bytes; negative offset = from the end.
    virtual void readLog(const QString& runId, int rank, qint64 offset, qint64 limit, const QObject* context,
                         std::function<void(const Result<LogPiece>&)> done) = 0;
    /// What a rank is doing and its last collectives.
    virtual void readRing(const QString& runId, int rank, const QObject* context,
                          std::function<void(const Result<FlightSnapshot>&)> done) = 0;
};

} // namespace trainyard
