#include "remote/launch/run_weights.h"

#include <algorithm>

#include "engine/checkpoint/weights/find_weights.h"
#include "engine/checkpoint/weights/weight_comparison.h"
#include "engine/spec/phases/phases.h"
#include "remote/launch/desk_run.h"
#include "remote/target/read_file.h"

namespace trainyard {

RunWeights::RunWeights(RunSpec spec, QString runId, const HostGroup& hosts)
    : m_spec(std::move(spec)), m_runId(std::move(runId)), m_hosts(hosts)
{
}

void RunWeights::find(std::function<void(const Result<QString>&)> done)
{
    const QJsonObject request{
        {"op", "weights"}, {"path", QString::fromStdString(m_spec.init.path)}, {"step", m_spec.init.step}};
    readWhole(m_hosts.target(0), request, this,
              [this, done = std::move(done)](const Result<QByteArray>& described) {
                  if (!described.ok())
                      return done(described.error());
                  if (described->isEmpty())
                      return done(findHere());
                  const auto stored = parseWeightDescription(described->toStdString());
                  done(stored.ok() ? compare(*stored) : stored.error().in("init.path"));
              });
}

/// The host has nothing of that name.
Result<QString> RunWeights::findHere()
{
    TRAINYARD_TRY(const auto source, openWeightsHere(m_spec.init));
    if (!source)
        return badInput("init.path: neither " + m_hosts.hosts().front().toStdString() +
                            " nor this computer has " + m_spec.init.path,
                        noSuchModel(m_spec.init.path, deskRunIds()).hint);
    m_files = source->files();
    TRAINYARD_TRY_STATUS(canBeSent(m_files));
    return compare(source->description());
}

Result<QString> RunWeights::compare(const WeightDescription& stored) const
{
    const WeightComparison found = compareWeights(stored, specOfPhase(m_spec, 0));
    if (!found.problems.empty())
        return toError(found.problems);
    return found.isPartial() ? QString::fromStdString(found.text()) : QString();
}

void RunWeights::send(const QList<int>& nodes, std::function<void(const Status&)> done)
{
    m_nodes = nodes;
    m_sent = std::move(done);
    sendNext();
}

void RunWeights::sendNext()
{
    if (m_nodes.isEmpty())
        return m_sent({});
    emit progress("reading the weights to send", -1);
    const int node = m_nodes.takeFirst();
    m_upload = std::make_unique<WeightsUpload>(m_hosts.target(node), m_runId, m_files);
    connect(m_upload.get(), &WeightsUpload::progress, this,
            [this, host = m_hosts.hosts()[node]](qint64 bytes, qint64 total) {
                emit progress("sending the weights to " + host,
                              double(bytes) / double(std::max<qint64>(total, 1)));
            });
    connect(m_upload.get(), &WeightsUpload::finished, this, [this](const Status& sent) {
        m_upload.release()->deleteLater(); // we are in its signal
        if (!sent.ok())
            return m_sent(sent);
        sendNext();
    });
    m_upload->start();
}

} // namespace trainyard
