#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>

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

/// Callbacks of a request to the hosts of a run. Not called after `context` is destroyed.
struct RunReply {
    const QObject* context = nullptr;
    std::function<void(const QString& text, double fraction)> progress; ///< fraction < 0 = unknown
    std::function<void(const Status& result)> done;                     ///< exactly once
};

/// A model to export in Hugging Face's format.
struct ModelExportRequest {
    std::optional<qint64> step{};                ///< of its checkpoint; nullopt = the newest complete one
    std::filesystem::path folder;                ///< on this computer; must not exist
    bool hasTokenizer = true;                    ///< with the files of the data set's tokenizer
    bool adapters = false;                       ///< low-rank adapters alone, as PEFT stores them
    std::function<void(const QString&)> noticed{}; ///< something that does not stop it
};

/// Requests to the hosts of a run. Nothing here blocks; GUI thread.
class RunHosts {
public:
    virtual ~RunHosts() = default;

    /// Streams the run's records into `run`, over all attempts, until one of the two is destroyed. No effect
    /// when they already flow.
    virtual void follow(OpenRun& run) = 0;
    /// Ends every process of the run; `keep`: finishes the step and saves a checkpoint first.
    virtual void stop(const QString& runId, bool keep, RunReply reply) = 0;
    /// Resumes from the newest complete checkpoint, or from the one named by `changes`.
    virtual void resume(const QString& runId, const ResumeChanges& changes, RunReply reply) = 0;
    /// Saves a checkpoint after the current step, without stopping.
    virtual void checkpoint(const QString& runId, RunReply reply) = 0;
    /// Lists the run's checkpoints, newest first, verifying hashes for at most `verification`.
    virtual void listCheckpoints(const QString& runId, std::chrono::milliseconds verification,
                                 const QObject* context,
                                 std::function<void(const Result<QList<RunCheckpoint>>&)> done) = 0;
    /// Exports the run's model on its host and brings the folder here. Returns what cancels it; `done` comes
    /// then too.
    virtual std::function<void()> exportModel(const QString& runId, const ModelExportRequest& request,
                                              RunReply reply) = 0;
    /// Removes the folder of a finished run, with all checkpoints, from each of its hosts.
    virtual void removeFromHosts(const QString& runId, RunReply reply) = 0;
    /// Reads at most `limit` bytes of a rank's log from byte `offset`; negative offset = from the end.
    virtual void readLog(const QString& runId, int rank, qint64 offset, qint64 limit, const QObject* context,
                         std::function<void(const Result<LogPiece>&)> done) = 0;
    /// Reads a rank's current activity and last collectives.
    virtual void readRing(const QString& runId, int rank, const QObject* context,
                          std::function<void(const Result<FlightSnapshot>&)> done) = 0;
};

} // namespace trainyard
