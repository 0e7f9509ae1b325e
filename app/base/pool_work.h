#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <QFutureWatcher>
#include <QPromise>
#include <QThreadPool>

namespace trainyard {

/// Runs work that may take longer than a frame in a pool thread, and delivers only the newest answer:
/// starting another job cancels the running one and replaces a waiting one; cancel() and the destructor drop
/// everything. GUI thread; `Answer` is copyable.
template <typename Answer>
class LatestJob {
public:
    /// Called with the completed share; returns false if the answer is no longer wanted.
    using GoesOn = std::function<bool(double share)>;
    using Work = std::function<Answer(const GoesOn&)>; ///< runs in the other thread: holds values alone

    explicit LatestJob(std::function<void(const Answer&)> answered,
                       std::function<void(double share)> progressed = {})
        : m_answered(std::move(answered))
    {
        QObject::connect(&m_watcher, &QFutureWatcherBase::finished, &m_watcher, [this] { onFinished(); });
        if (progressed)
            QObject::connect(&m_watcher, &QFutureWatcherBase::progressValueChanged, &m_watcher,
                             [progressed = std::move(progressed)](int value) {
                                 progressed(static_cast<double>(value) / kAll);
                             });
    }
    ~LatestJob() { m_watcher.cancel(); }
    LatestJob(const LatestJob&) = delete;
    LatestJob& operator=(const LatestJob&) = delete;

    void start(Work work)
    {
        if (!isRunning()) {
            m_waiting.reset(); // the end of what it waited for may not have been told yet
            return run(std::move(work));
        }
        m_waiting = std::move(work);
        m_watcher.cancel();
    }

    void cancel()
    {
        m_waiting.reset();
        m_watcher.cancel();
        m_watcher.setFuture({});
    }

    bool isRunning() const { return m_watcher.isRunning(); }

private:
    static constexpr int kAll = 1000;

    void run(Work work)
    {
        auto promise = std::make_shared<QPromise<Answer>>();
        promise->setProgressRange(0, kAll);
        promise->start();
        m_watcher.setFuture(promise->future());
        QThreadPool::globalInstance()->start([promise, work = std::move(work)] {
            promise->addResult(work([promise](double share) {
                promise->setProgressValue(static_cast<int>(std::lround(share * kAll)));
                return !promise->isCanceled();
            }));
            promise->finish();
        });
    }

    void onFinished()
    {
        if (m_waiting)
            run(*std::exchange(m_waiting, std::nullopt));
        else if (m_watcher.future().resultCount() > 0) // else cancelled
            m_answered(m_watcher.result());
    }

    std::function<void(const Answer&)> m_answered;
    QFutureWatcher<Answer> m_watcher;
    std::optional<Work> m_waiting;
};

/// Calls work(0) to work(count - 1), once each and in any order, on this thread and idle threads of the
/// global pool, and returns when all are done. Never waits for a busy thread, so it may be called on the GUI
/// thread and within the pool. Worthwhile from some microseconds of work on.
void parallelFor(std::size_t count, const std::function<void(std::size_t)>& work);

} // namespace trainyard
