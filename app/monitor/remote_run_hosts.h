#pragma once

#include "app/runs/run_hosts.h"

namespace trainyard {

class RunOperation;
class RunService;

/// Reaches the hosts of runs through a RunService.
class RemoteRunHosts : public RunHosts {
public:
    /// The service must outlive this object.
    explicit RemoteRunHosts(RunService& service) : m_service(service) {}

    void follow(OpenRun& run) override;
    void stop(const QString& runId, bool keep, RunReply reply) override;
    void resume(const QString& runId, const ResumeChanges& changes, RunReply reply) override;
    void checkpoint(const QString& runId, RunReply reply) override;
    void listCheckpoints(const QString& runId, std::chrono::milliseconds verification, const QObject* context,
                         std::function<void(const Result<QList<RunCheckpoint>>&)> done) override;
    std::function<void()> exportModel(const QString& runId, const ModelExportRequest& request,
                                      RunReply reply) override;
    void removeFromHosts(const QString& runId, RunReply reply) override;
    void readLog(const QString& runId, int rank, qint64 offset, qint64 limit, const QObject* context,
                 std::function<void(const Result<LogPiece>&)> done) override;
    void readRing(const QString& runId, int rank, const QObject* context,
                  std::function<void(const Result<FlightSnapshot>&)> done) override;

private:
    RunService& m_service;
};

} // namespace trainyard
