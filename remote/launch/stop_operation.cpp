#include "remote/launch/stop_operation.h"

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
    emit progress("looking for left processes", -1);
    m_group.callAll([this](int) { return request(std::chrono::milliseconds(0)); },
                    [this, headAnswer](const HostGroup::Answers& answers) {
                        if (!headAnswer.ok())
                            return finish(headAnswer.error());
                        if (const Status all = allOf(answers); !all.ok())
                            return finish(all.error());
                        finish(everyHostClean(answers));
                    });
}

Result<QString> StopOperation::everyHostClean(const HostGroup::Answers& answers) const
{
    QStringList left;
    for (int node = 0; node < m_group.size(); ++node) {
        if (!answers[static_cast<std::size_t>(node)]->value("clean").toBool())
            left << m_group.hosts()[node];
    }
    if (left.isEmpty())
        return m_runId;
    return failed("processes of the run are left on " + left.join(", ").toStdString(),
                  "stop it again without a grace period");
}

void StopOperation::finish(const Result<QString>& result)
{
    deleteLater();
    emit finished(result);
}

} // namespace trainyard
