#include "remote/target/target_pool.h"

namespace trainyard {

TargetPool::TargetPool(TargetOptions options, QObject* parent)
    : QObject(parent), m_options(std::move(options))
{
}
TargetPool::~TargetPool() = default;

Target& TargetPool::target(const QString& host)
{
    auto& slot = m_targets[host];
    if (!slot) {
        slot = Target::create(host, m_options);
        m_logins.watch(*slot);
        emit targetAdded(slot.get());
    }
    if (slot->state() == Target::State::Closed)
        slot->open();
    return *slot;
}

Target* TargetPool::find(const QString& host) const
{
    const auto found = m_targets.find(host);
    return found == m_targets.end() ? nullptr : found->second.get();
}

QList<Target*> TargetPool::targets() const
{
    QList<Target*> all;
    for (const auto& [host, target] : m_targets)
        all << target.get();
    return all;
}

void TargetPool::forget(const QString& host)
{
    const auto node = m_targets.extract(host);
    if (!node.empty())
        node.mapped()->close();
}

} // namespace trainyard
