#include "remote/agent/supervise/stop_sequence.h"

#include <nlohmann/json.hpp>

#include "engine/base/file.h"

namespace trainyard::agent {

namespace {

/// mpirun needs this long to end the ranks on other nodes.
constexpr std::chrono::seconds kTermGrace{2};

bool isThere(const std::filesystem::path& path)
{
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
}

std::chrono::milliseconds graceIn(const std::filesystem::path& request, std::chrono::milliseconds otherwise)
{
    const auto text = readFile(request);
    const auto content = text.ok() ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
    if (!content.is_object() || !content.contains("grace_ms") || !content["grace_ms"].is_number_unsigned())
        return otherwise; // a bare file, made by hand
    return std::chrono::milliseconds(content["grace_ms"].get<std::uint32_t>());
}

} // namespace

StopSequence::Action StopSequence::next(TimePoint now)
{
    if (!terminated() && (m_aborted || isThere(m_folder.abortRequest())))
        return terminateAt(now);
    switch (m_phase) {
    case Phase::Running:
        if (!isThere(m_folder.stopRequest()))
            return Action::None;
        m_phase = Phase::Asked;
        m_deadline = now + graceIn(m_folder.stopRequest(), m_grace);
        return Action::Announce;
    case Phase::Asked:
        return now < m_deadline ? Action::None : terminateAt(now);
    case Phase::Terminated:
        if (now < m_deadline)
            return Action::None;
        m_phase = Phase::Killed;
        return Action::Kill;
    case Phase::Killed:
        return Action::None;
    }
    return Action::None;
}

StopSequence::Action StopSequence::terminateAt(TimePoint now)
{
    m_phase = Phase::Terminated;
    m_deadline = now + kTermGrace;
    return Action::Terminate;
}

} // namespace trainyard::agent
