#include "remote/launch/stop_operation.h"

#include "remote/launch/host_stop.h"

namespace trainyard {

StopOperation::StopOperation(const DeskRun& run, const StopOptions& options, TargetPool& targets,
                             QObject* parent)
    : RunOperation(parent), m_options(options), m_group(run.hosts, targets), m_head({run.head()}, targets)
{
    m_runId = run.id;
}

QJsonObject StopOperation::request(std::chrono::milliseconds grace) const
{
    return {{"op", "stop"},
            {"run", m_runId},
            {"grace_ms", qint64{grace.count()}},
            {"checkpoint", m_options.checkpoint}};
}

/// The head is asked as soon as it can be: a host that does not answer must not delay the others.
void StopOperation::start()
{
    emit progress("asking the run to stop", -1);
    m_head.whenReady([this](const Status& ready) {
        if (!ready.ok())
            return takeHeadAnswer(ready.error());
        m_head.target(0).call(request(m_options.grace), this,
                              [this](const Result<QJsonObject>& reply) { takeHeadAnswer(reply); });
    });
    m_group.whenReady([this](const Status&) { // the sweep lists those that cannot be reached
        m_reached = true;
        sweepWhenPossible();
    });
}

void StopOperation::takeHeadAnswer(const Result<QJsonObject>& answer)
{
    m_headAnswer.emplace(answer);
    sweepWhenPossible();
}

void StopOperation::sweepWhenPossible()
{
    if (m_reached && m_headAnswer)
        sweep(*m_headAnswer);
}

void StopOperation::sweep(const Result<QJsonObject>& headAnswer)
{
    emit progress("looking for remaining processes", -1);
    m_group.callAll([this](int) { return request(std::chrono::milliseconds(0)); },
                    [this, headAnswer](const HostGroup::Answers& answers) { conclude(headAnswer, answers); });
}

void StopOperation::conclude(const Result<QJsonObject>& headAnswer, const HostGroup::Answers& answers)
{
    std::vector<HostStop> stops;
    for (int node = 0; node < m_group.size(); ++node) {
        const auto& swept = answers[static_cast<std::size_t>(node)];
        stops.push_back(node == 0 ? hostStop(m_group.hosts()[0], {headAnswer, swept})
                                  : hostStop(m_group.hosts()[node], {swept}));
    }
    for (const QString& words : killedWords(stops))
        emit noticed(words);
    const Status clean = allClean(stops);
    finish(clean.ok() ? Result<QString>(m_runId) : Result<QString>(clean.error()));
}

} // namespace trainyard
