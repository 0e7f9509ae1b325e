#pragma once

#include <functional>
#include <utility>

#include <QPointer>

#include "remote/launch/host_group.h"

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
