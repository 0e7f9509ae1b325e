#include "remote/wire/greeting.h"

#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "engine/base/untrusted_text.h"
#include "remote/wire/bundle_manifest.h"

namespace trainyard {

namespace {
constexpr std::size_t kNoiseBytes = 4 * kKiB;
constexpr const char* kReadOnlyFlag = " --read-only";
} // namespace

std::string makeNonce()
{
    std::random_device random; // draws every number from the system
    std::string nonce;
    while (nonce.size() < kNonceDigits)
        nonce += fmt::format("{:08x}", random());
    return nonce;
}

bool isNonce(std::string_view text)
{
    return text.size() == kNonceDigits &&
           text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string startLine(std::string_view agentSha256, std::string_view nonce, bool readOnly)
{
    return std::string(agentSha256) + ' ' + std::string(nonce) + (readOnly ? kReadOnlyFlag : "");
}

bool isStartLine(std::string_view text)
{
    if (text.ends_with(kReadOnlyFlag))
        text.remove_suffix(std::string_view(kReadOnlyFlag).size());
    const auto gap = text.find(' ');
    return gap != std::string_view::npos && isSha256(text.substr(0, gap)) && isNonce(text.substr(gap + 1));
}

std::string greetingLine(std::string_view nonce)
{
    return "trainyard-agent " + std::string(nonce) + "\n";
}

GreetingScanner::GreetingScanner(std::string_view nonce) : m_line(greetingLine(nonce)) {}

Result<bool> GreetingScanner::feed(std::string_view bytes)
{
    if (m_found) {
        m_rest.append(bytes);
        return true;
    }
    const std::size_t searched = m_seen.size() - std::min(m_seen.size(), m_line.size());
    m_seen.append(bytes);
    const auto at = m_seen.find(m_line, searched);
    if (at != std::string::npos) {
        m_found = true;
        m_rest = m_seen.substr(at + m_line.size());
        m_seen.resize(at);
        return true;
    }
    if (m_seen.size() > kGreetingSearchBytes)
        return unreachable("the agent did not answer; the login shell printed something else: " + noise(),
                           "make the host's shell start-up files silent for non-interactive sessions");
    return false;
}

std::string GreetingScanner::noise() const
{
    return sanitizeText(m_seen, Lines::One, kNoiseBytes);
}

} // namespace trainyard
