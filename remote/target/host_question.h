#pragma once

#include <functional>
#include <utility>

#include <QPointer>

#include "remote/target/host_group.h"

namespace trainyard {

/// One question to one host: waits for its link, asks, passes on one answer, and deletes itself. Drops the
/// answer when `context` is gone. Belongs to `parent`.
template <typename T>
class HostQuestion : public QObject {
public:
    using Answer = std::function<void(const Result<T>&)>;

    HostQuestion(const QString& host, TargetPool& targets, QObject* parent, const QObject* context,
                 Answer answer)
        : QObject(parent), m_group({host}, targets), m_context(context), m_answer(std::move(answer))
    {
    }

    /// `question` uses the target, with this object as the context, and calls answer() in the end.
    void ask(std::function<void(Target&)> question)
    {
        m_group.whenReady([this, question = std::move(question)](const Status& ready) {
            if (ready.ok())
                question(m_group.target(0));
            else
                answer(ready.error());
        });
    }
    /// Sends `request`, and answers with the result of `parse` for the reply.
    template <typename Parse>
    void call(const QJsonObject& request, Parse parse)
    {
        ask([this, request, parse](Target& target) {
            target.call(request, this, [this, parse](const Result<QJsonObject>& reply) {
                answer(reply.ok() ? Result<T>(parse(*reply)) : Result<T>(reply.error()));
            });
        });
    }
    void answer(const Result<T>& result)
    {
        deleteLater();
        if (m_context)
            m_answer(result);
    }

private:
    HostGroup m_group;
    QPointer<const QObject> m_context;
    Answer m_answer;
};

} // namespace trainyard
