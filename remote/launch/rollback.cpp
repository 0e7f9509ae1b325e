#include "remote/launch/rollback.h"

#include <QTimer>

#include "remote/launch/stop_operation.h"

namespace trainyard {

namespace {

/// A stop takes an agent up to 12 s, and a host that is away is noticed after 10 s.
constexpr std::chrono::seconds kPatience{30};

HostGroup::Answers noAnswerFrom(const QStringList& hosts)
{
    HostGroup::Answers answers;
    for (const QString& host : hosts)
        answers.push_back(unreachable(host.toStdString() + ": no answer"));
    return answers;
}

} // namespace

Rollback::Rollback(const DeskRun& run, TargetPool& targets, QObject* parent)
    : QObject(parent)
    , m_run(run)
    , m_targets(targets)
    , m_group(run.hosts, targets)
    , m_removed(noAnswerFrom(run.hosts))
    , m_left(m_group.size())
{
}

void Rollback::start(Leave leave, std::function<void(const Status&)> done)
{
    m_done = std::move(done);
    QTimer::singleShot(kPatience, this, [this] { conclude(allOf(m_removed)); });
    const StopOptions atOnce{false, std::chrono::milliseconds(0)};
    auto* stop = new StopOperation(m_run, atOnce, m_targets, this);
    connect(stop, &RunOperation::finished, this, [this, leave](const Result<QString>& stopped) {
        if (leave == Leave::Run)
            return conclude(stopped.ok() ? Status() : Status(stopped.error()));
        remove();
    });
    stop->start();
}

/// Whatever became of the stop: a host that can remove the run has nothing of it alive.
void Rollback::remove()
{
    for (int node = 0; node < m_group.size(); ++node) {
        const auto answered = [this, node](const Result<QJsonObject>& reply) {
            m_removed[static_cast<std::size_t>(node)] = reply;
            if (--m_left == 0)
                conclude(allOf(m_removed));
        };
        m_group.target(node).call({{"op", "remove-run"}, {"run", m_run.id}}, this, answered);
    }
}

void Rollback::conclude(const Status& outcome)
{
    if (const auto done = std::exchange(m_done, {}))
        done(outcome);
}

} // namespace trainyard
