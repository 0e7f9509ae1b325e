#include "remote/target/host_group.h"

#include <algorithm>

#include "remote/target/joined_errors.h"

namespace trainyard {

namespace {

constexpr int kMaxConnecting = 16;

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
    std::vector<Error> errors;
    for (const auto& answer : answers) {
        if (!answer.ok())
            errors.push_back(answer.error());
    }
    return joinedErrors(errors, static_cast<int>(answers.size()));
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

/// Links that are on their way up.
struct HostGroup::Opening {
    std::function<void(const Status&)> done;
    Answers answers; ///< in order of node
    int next = 0;
    int left = 0;
};

void HostGroup::whenReady(std::function<void(const Status&)> done)
{
    const auto opening = std::make_shared<Opening>(
        Opening{std::move(done), Answers(m_hosts.size(), Result<QJsonObject>(QJsonObject())), 0, size()});
    for (int i = 0; i < std::min(size(), kMaxConnecting); ++i)
        openNext(opening);
}

void HostGroup::openNext(const std::shared_ptr<Opening>& opening)
{
    if (opening->next == size())
        return;
    const int node = opening->next++;
    new ReadyWait(target(node), this, [this, node, opening](const Status& status) {
        if (!status.ok())
            opening->answers[static_cast<std::size_t>(node)] = status.error();
        if (--opening->left == 0)
            opening->done(allOf(opening->answers));
        else
            openNext(opening);
    });
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
