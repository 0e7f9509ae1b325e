#include "remote/target/call_table.h"

namespace trainyard {

Target::CallId CallTable::add(const QObject* context, Target::Handlers handlers)
{
    do {
        ++m_last;
    } while (m_last == 0 || m_calls.count(m_last) > 0);
    m_calls.emplace(m_last, Call{context != nullptr, context, std::move(handlers)});
    return m_last;
}

bool CallTable::remove(Target::CallId id)
{
    return m_calls.erase(id) > 0;
}

void CallTable::onChunk(Target::CallId id, const QByteArray& bytes)
{
    const auto found = m_calls.find(id);
    if (found == m_calls.end() || !found->second.wanted() || !found->second.handlers.chunk)
        return;
    const auto handler = found->second.handlers.chunk; // the call may be removed in it
    handler(bytes);
}

void CallTable::onInterim(Target::CallId id, const QJsonObject& message)
{
    const auto found = m_calls.find(id);
    if (found == m_calls.end() || !found->second.wanted() || !found->second.handlers.interim)
        return;
    const auto handler = found->second.handlers.interim;
    handler(message);
}

void CallTable::finish(Target::CallId id, const Result<QJsonObject>& result)
{
    auto node = m_calls.extract(id);
    if (!node.empty() && node.mapped().wanted() && node.mapped().handlers.done)
        node.mapped().handlers.done(result);
}

void CallTable::finishAll(const Error& error)
{
    std::vector<Target::CallId> open;
    for (const auto& [id, call] : m_calls)
        open.push_back(id);
    for (const auto id : open)
        finish(id, error);
}

} // namespace trainyard
