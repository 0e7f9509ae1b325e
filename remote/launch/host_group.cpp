#include "remote/launch/host_group.h"

#include <memory>
#include <optional>

namespace trainyard {

namespace {

/// Waits for one link; ends by itself after its word.
class ReadyWait : public QObject {
public:
    ReadyWait(Target& target, QObject* parent, std::function<void(const Status&)> done)
        : QObject(parent), m_target(target), m_done(std::move(done))
    {
        connect(&target, &Target::stateChanged, this, [this] { look(); });
        connect(&target, &Target::attemptFailed, this, [this](const Error& error) { finish(error); });
        target.open();
        QMetaObject::invokeMethod(
            this, [this] { look(); }, Qt::QueuedConnection);
    }

private:
    void look()
    {
        if (m_target.state() == Target::State::Ready)
            finish({});
        else if (m_target.state() == Target::State::Lost)
            m_target.retryNow();
        else if (m_target.state() == Target::State::Closed)
            finish(cancelled("the link to " + m_target.host().toStdString() + " was closed"));
    }
    void finish(const Status& status)
    {
        if (!m_done)
            return;
        const auto done = std::exchange(m_done, {});
        deleteLater();
        done(status);
    }

    Target& m_target;
    std::function<void(const Status&)> m_done;
};

} // namespace

Status allOf(const HostGroup::Answers& answers)
{
    std::optional<Error> all;
    for (const auto& answer : answers) {
        if (answer.ok())
            continue;
        if (all)
            all->message += "; " + answer.error().message;
        else
            all = answer.error();
    }
    return all ? Status(*all) : Status();
}

HostGroup::HostGroup(const QStringList& hosts, TargetPool& targets) : m_hosts(hosts), m_targets(targets) {}

Target& HostGroup::target(int node) const
{
    return m_targets.target(m_hosts[node]);
}

QList<Target*> HostGroup::targets() const
{
    QList<Target*> all;
    for (int node = 0; node < size(); ++node)
        all << &target(node);
    return all;
}

void HostGroup::whenReady(std::function<void(const Status&)> done)
{
    auto answers = std::make_shared<Answers>();
    for (int node = 0; node < size(); ++node) {
        new ReadyWait(target(node), this, [this, answers, done](const Status& status) {
            answers->push_back(status.ok() ? Result<QJsonObject>(QJsonObject()) : status.error());
            if (static_cast<int>(answers->size()) == size())
                done(allOf(*answers));
        });
    }
}

void HostGroup::callAll(const std::function<QJsonObject(int)>& request,
                        std::function<void(const Answers&)> done)
{
    auto answers = std::make_shared<Answers>(m_hosts.size(), Result<QJsonObject>(QJsonObject()));
    auto left = std::make_shared<int>(size());
    for (int node = 0; node < size(); ++node) {
        target(node).call(request(node), this, [node, answers, left, done](const Result<QJsonObject>& reply) {
            (*answers)[static_cast<std::size_t>(node)] = reply;
            if (--*left == 0)
                done(*answers);
        });
    }
}

} // namespace trainyard
