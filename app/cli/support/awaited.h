#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <QEventLoop>

#include "app/cli/support/console.h"
#include "app/cli/support/interrupt.h"

namespace trainyard::console {

/// The answer that a command waits for while the event loop runs. Connect what brings the answer with
/// context() as the receiver, so that nothing calls back after the wait. Main thread.
template <class T>
class Awaited {
public:
    Awaited() = default;
    Awaited(const Awaited&) = delete;
    Awaited& operator=(const Awaited&) = delete;

    QObject* context() { return &m_loop; }
    /// Calls `action` on Ctrl+C and SIGTERM; without it they end the process as usual.
    void onInterrupt(std::function<void()> action)
    {
        m_interrupt = std::make_unique<Interrupt>();
        QObject::connect(m_interrupt.get(), &Interrupt::requested, &m_loop, std::move(action));
    }
    /// Ends the wait; a later answer replaces an earlier one until wait() returns.
    void set(const T& answer)
    {
        m_answer.emplace(answer);
        m_loop.quit();
    }
    /// Returns the answer once it is there, and clears the progress line.
    T wait()
    {
        // quit() before exec() has no effect, and some answers are there at once.
        if (!m_answer)
            m_loop.exec();
        transient({});
        return std::move(*m_answer);
    }

private:
    QEventLoop m_loop;
    std::unique_ptr<Interrupt> m_interrupt;
    std::optional<T> m_answer;
};

/// Starts a job, shows its progress, and returns what it finishes with. Ctrl+C cancels the job.
template <class T, class Job>
T await(Job& job)
{
    Awaited<T> answer;
    answer.onInterrupt([&job] { job.cancel(); });
    QObject::connect(&job, &Job::progress, answer.context(),
                     [](const QString& text, double) { transient(text); });
    QObject::connect(&job, &Job::finished, answer.context(),
                     [&answer](const T& result) { answer.set(result); });
    job.start();
    return answer.wait();
}

} // namespace trainyard::console
