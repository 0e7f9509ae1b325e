#pragma once

#include <future>
#include <stdexcept>
#include <utility>

namespace trainyard {

/// The group is broken: a peer is gone or gave up.
struct CommunicationError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A collective under way. Its buffer must not be touched before wait() has returned.
class Work {
public:
    Work() = default; ///< nothing to wait for
    explicit Work(std::future<void> done) : m_done(std::move(done)) {}

    /// Returns when this rank's part is done; the second call returns at once. Throws CommunicationError.
    void wait()
    {
        if (m_done.valid())
            m_done.get();
    }

private:
    std::future<void> m_done;
};

} // namespace trainyard
