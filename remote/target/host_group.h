#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <QJsonObject>
#include <QList>
#include <QObject>
#include <QPointer>
#include <QStringList>

#include "engine/base/result.h"
#include "remote/target/target_pool.h"

namespace trainyard {

/// The hosts of one run, asked all at once. Answers come back together, in order of node; handlers are
/// dropped with the group.
class HostGroup : public QObject {
public:
    HostGroup(const QStringList& hosts, TargetPool& targets);

    const QStringList& hosts() const { return m_hosts; }
    int size() const { return static_cast<int>(m_hosts.size()); }
    Target& target(int node) const;
    QList<Target*> targets() const;

    /// Opens every link, at most 16 at the same time (sshd and jump hosts drop more, MaxStartups); calls
    /// `done` when all are up, or with an error that lists every host that failed.
    void whenReady(std::function<void(const Status&)> done);

    using Answers = std::vector<Result<QJsonObject>>;
    void callAll(const std::function<QJsonObject(int node)>& request,
                 std::function<void(const Answers&)> done);

private:
    struct Opening;
    void openNext(const std::shared_ptr<Opening>& opening);

    QStringList m_hosts;
    TargetPool& m_targets;
};

/// Ok when every answer is; otherwise one error that lists every host that failed.
Status allOf(const HostGroup::Answers& answers);

} // namespace trainyard
