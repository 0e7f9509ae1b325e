#include "app/monitor/remote_run_hosts.h"

#include <QObject>
#include <QPointer>

#include "app/hosts/model/model_export.h"
#include "app/runs/open_run.h"
#include "remote/launch/run_service.h"
#include "remote/stream/run_follower.h"

namespace trainyard {

namespace {

void forward(RunOperation* operation, const RunReply& reply)
{
    QObject::connect(operation, &RunOperation::progress, reply.context, reply.progress);
    QObject::connect(operation, &RunOperation::finished, reply.context,
                     [done = reply.done](const Result<QString>& result) {
                         done(result.ok() ? Status() : Status(result.error()));
                     });
}

} // namespace

void RemoteRunHosts::follow(OpenRun& run)
{
    // The follower of an earlier attempt continues by itself, where the hosts are the same; a second one
    // could not write the run's mirror.
    const auto desk = loadDeskRun(run.id());
    const QStringList hosts = desk.ok() ? desk->allHosts() : run.facts().allHosts();
    auto* earlier = run.findChild<RunFollower*>({}, Qt::FindDirectChildrenOnly);
    if (earlier && earlier->hosts() == hosts)
        return;
    delete earlier;
    auto* follower = new RunFollower(run.id(), hosts, m_service.targets(), {}, &run);
    QObject::connect(follower, &RunFollower::recordsArrived, &run,
                     [follower, &run](const QString& stream, const std::vector<Record>& records) {
                         run.apply(stream, records, follower->mirrorEnd(stream));
                     });
    QObject::connect(follower, &RunFollower::attemptArrived, &run, &OpenRun::readAttempt);
    QObject::connect(follower, &RunFollower::streamRestarted, &run, &OpenRun::restartStream);
    QObject::connect(follower, &RunFollower::linkChanged, &run,
                     [&run](LinkState state) { run.setLink(runLinkOf(state)); });
    QObject::connect(follower, &RunFollower::problem, &run,
                     [&run](const Error& error) { run.setProblem(QString::fromStdString(error.text())); });
    run.setLink(runLinkOf(follower->linkState()));
    follower->start();
}

void RemoteRunHosts::stop(const QString& runId, bool keep, RunReply reply)
{
    StopOptions options;
    options.checkpoint = keep;
    forward(m_service.stop(runId, options), reply);
}

void RemoteRunHosts::resume(const QString& runId, const ResumeChanges& changes, RunReply reply)
{
    forward(m_service.resume(runId, changes), reply);
}

void RemoteRunHosts::checkpoint(const QString& runId, RunReply reply)
{
    m_service.requestCheckpoint(runId, reply.context, reply.done);
}

void RemoteRunHosts::listCheckpoints(const QString& runId, std::chrono::milliseconds verification,
                                     const QObject* context,
                                     std::function<void(const Result<QList<RunCheckpoint>>&)> done)
{
    m_service.listCheckpoints(runId, verification, context, std::move(done));
}

std::function<void()> RemoteRunHosts::exportModel(const QString& runId, const ModelExportRequest& request,
                                                  RunReply reply)
{
    const auto run = loadDeskRun(runId);
    if (!run.ok()) {
        reply.done(run.error());
        return [] {};
    }
    ModelExportOptions options;
    options.model = runId.toStdString();
    options.folder = request.folder.string();
    options.step = request.step ? std::optional<std::int64_t>(*request.step) : std::nullopt;
    options.withoutTokenizer = !request.hasTokenizer;
    options.adapters = request.adapters;
    auto* job = new ModelExport(m_service, run->head(), options, ModelExport::Place::Here, &m_service);
    QObject::connect(job, &ModelExport::progress, reply.context, reply.progress);
    QObject::connect(job, &ModelExport::noticed, reply.context, request.noticed);
    QObject::connect(job, &ModelExport::finished, reply.context, reply.done);
    QObject::connect(job, &ModelExport::finished, job, &QObject::deleteLater);
    job->start();
    return [job = QPointer(job)] {
        if (job)
            job->cancel();
    };
}

void RemoteRunHosts::removeFromHosts(const QString& runId, RunReply reply)
{
    m_service.removeFromHosts(runId, reply.context, reply.done);
}

void RemoteRunHosts::readLog(const QString& runId, int rank, qint64 offset, qint64 limit,
                             const QObject* context, std::function<void(const Result<LogPiece>&)> done)
{
    m_service.readLog(runId, rank, offset, limit, context, std::move(done));
}

void RemoteRunHosts::readRing(const QString& runId, int rank, const QObject* context,
                              std::function<void(const Result<FlightSnapshot>&)> done)
{
    m_service.readRing(runId, rank, context, std::move(done));
}

} // namespace trainyard
