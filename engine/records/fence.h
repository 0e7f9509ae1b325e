#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>

#include "engine/base/result.h"

namespace trainyard {

/// Keeps an attempt of a run from writing once a newer one has begun. Attempts follow each other, but an old
/// one may still be running: behind a broken link, or because a batch system gave the job to other nodes. The
/// file EPOCH in the run's directory holds the number of the newest attempt. One thread at a time.
class Fence {
public:
    Fence() = default; ///< no run's directory, so nobody can be fenced
    Fence(const std::filesystem::path& runDirectory, std::uint32_t attempt);

    /// Makes this attempt the newest one, so that it survives a power cut; from then on older ones are
    /// fenced. Refused when a newer one has begun already.
    Status raise() const;
    /// Refused, "fenced by attempt N", when a newer attempt has begun. An unreadable file fences nobody.
    Status check() const;
    /// As check(), but looks at the file once a second at most: cheap enough for every step.
    Status glance();

private:
    std::filesystem::path m_file;
    std::uint32_t m_attempt = 0;
    std::chrono::steady_clock::time_point m_nextLook{};
    Status m_lastSeen;
};

/// The newest attempt that has begun; 0 = none yet.
std::uint32_t newestAttempt(const std::filesystem::path& runDirectory);

} // namespace trainyard
