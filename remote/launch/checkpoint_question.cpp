#include "remote/launch/checkpoint_question.h"

#include "remote/target/host_question.h"

namespace trainyard {

CheckpointQuestion::CheckpointQuestion(const DeskRun& run, TargetPool& targets, QObject* parent,
                                       const QObject* context, Answer answer)
    : QObject(parent), m_run(run), m_targets(targets), m_context(context), m_answer(std::move(answer))
{
}

void CheckpointQuestion::ask(std::chrono::milliseconds verification)
{
    const QJsonObject request{
        {"op", "checkpoints"}, {"run", m_run.id}, {"verify_ms", qint64{verification.count()}}};
    const auto then = [this, request](const Result<QJsonObject>& reply) {
        if (!reply.ok())
            return answer(reply.error());
        m_answers << HostCheckpoints{m_run.head(), *reply};
        askOthers(request);
    };
    auto* question = new HostQuestion<QJsonObject>(m_run.head(), m_targets, this, this, then);
    question->call(request, [](const QJsonObject& reply) { return reply; });
}

void CheckpointQuestion::askOthers(const QJsonObject& request)
{
    const bool isSpread = m_answers.front().reply.value("spread").toBool();
    const QStringList others = isSpread ? m_run.hosts.mid(1) : QStringList();
    m_waiting = others.size();
    if (others.isEmpty())
        return answer(checkpointsTogether(m_answers, m_silent));
    for (const QString& host : others) {
        auto* question = new HostQuestion<QJsonObject>(
            host, m_targets, this, this, [this, host](const auto& reply) { take(host, reply); });
        question->call(request, [](const QJsonObject& reply) { return reply; });
    }
}

void CheckpointQuestion::take(const QString& host, const Result<QJsonObject>& reply)
{
    const bool hasNoSuchRun = !reply.ok() && reply.error().kind == ErrorKind::BadInput;
    if (reply.ok())
        m_answers << HostCheckpoints{host, *reply};
    else if (!hasNoSuchRun)
        m_silent << host;
    if (--m_waiting > 0)
        return;
    const QList<RunCheckpoint> all = checkpointsTogether(m_answers, m_silent);
    if (all.isEmpty() && !m_silent.isEmpty())
        return answer(unreachable("no host that answered has a checkpoint of the run; " +
                                      m_silent.join(", ").toStdString() + " did not answer",
                                  "start these hosts, then try again"));
    answer(all);
}

void CheckpointQuestion::answer(const Result<QList<RunCheckpoint>>& result)
{
    deleteLater();
    if (m_context)
        m_answer(result);
}

} // namespace trainyard
