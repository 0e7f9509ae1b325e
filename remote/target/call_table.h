#pragma once

#include <map>
#include <memory>

#include <QPointer>

#include "remote/target/target.h"

namespace trainyard {

/// The open requests of one link. Skips handlers whose context is gone. Handlers may use the table.
class CallTable {
public:
    Target::CallId add(const QObject* context, Target::Handlers handlers);
    /// Returns false when it was not open.
    bool remove(Target::CallId id);

    void onChunk(Target::CallId id, const QByteArray& bytes);
    void onInterim(Target::CallId id, const QJsonObject& message);
    void finish(Target::CallId id, const Result<QJsonObject>& result);
    void finishAll(const Error& error);

private:
    struct Call {
        bool guarded = false;
        QPointer<const QObject> context;
        Target::Handlers handlers;

        bool wanted() const { return !guarded || context; }
    };
    /// Returns nullptr when the call has ended or nobody wants its answers any more.
    std::shared_ptr<const Call> find(Target::CallId id) const;

    std::map<Target::CallId, std::shared_ptr<const Call>> m_calls;
    Target::CallId m_last = 0;
};

} // namespace trainyard
