#include "engine/records/fence.h"

#include <charconv>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/base/lock_file.h"

namespace trainyard {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr const char* kName = "EPOCH";
constexpr std::chrono::seconds kBetweenLooks{1};
constexpr std::chrono::seconds kLockPatience{10};

std::uint32_t numberIn(const std::filesystem::path& file)
{
    const auto text = readFile(file);
    std::uint32_t number = 0;
    if (text.ok())
        std::from_chars(text->data(), text->data() + text->size(), number);
    return number;
}

} // namespace

Fence::Fence(const std::filesystem::path& runDirectory, std::uint32_t attempt)
    : m_file(runDirectory / kName), m_attempt(attempt)
{
}

Status Fence::raise() const
{
    if (m_file.empty())
        return {};
    // Two that begin at once must not both find the file low.
    TRAINYARD_TRY(const LockFile lock, LockFile::acquire(m_file.string() + ".lock", kLockPatience));
    TRAINYARD_TRY_STATUS(check());
    if (numberIn(m_file) == m_attempt)
        return {};
    return writeFileAtomically(m_file, fmt::format("{}\n", m_attempt));
}

Status Fence::check() const
{
    const std::uint32_t newest = m_file.empty() ? 0 : numberIn(m_file);
    if (newest <= m_attempt)
        return {};
    return refused(fmt::format("attempt {} of the run is fenced by attempt {}", m_attempt, newest),
                   "the newer attempt continues the run");
}

Status Fence::glance()
{
    const auto now = SteadyClock::now();
    if (!m_file.empty() && now >= m_nextLook) {
        m_nextLook = now + kBetweenLooks;
        m_lastSeen = check();
    }
    return m_lastSeen;
}

std::uint32_t newestAttempt(const std::filesystem::path& runDirectory)
{
    return numberIn(runDirectory / kName);
}

} // namespace trainyard
