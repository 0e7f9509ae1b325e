#include "remote/target/call_table.h"

namespace trainyard {

Target::CallId CallTable::add(const QObject* context, Target::Handlers handlers)
{
    do {
        ++m_last;
    } while (m_last == 0 || m_calls.count(m_last) > 0);
    m_calls.emplace(m_last, std::make_shared<Call>(Call{context != nullptr, context, std::move(handlers)}));
    return m_last;
}

bool CallTable::remove(Target::CallId id)
{
    return m_calls.erase(id) > 0;
}

std::shared_ptr<const CallTable::Call> CallTable::find(Target::CallId id) const
{
    const auto found = m_calls.find(id);
    return found != m_calls.end() && found->second->wanted() ? found->second : nullptr;
}

// Each of the following holds the call while its handler runs: the handler may remove it from the table.

void CallTable::onChunk(Target::CallId id, const QByteArray& bytes)
{
    if (const auto call = find(id); call && call->handlers.chunk)
        call->handlers.chunk(bytes);
}

void CallTable::onInterim(Target::CallId id, const QJsonObject& message)
{
    if (const auto call = find(id); call && call->handlers.interim)
        call->handlers.interim(message);
}

void CallTable::finish(Target::CallId id, const Result<QJsonObject>& result)
{
    const auto call = find(id);
    m_calls.erase(id);
    if (call && call->handlers.done)
        call->handlers.done(result);
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
