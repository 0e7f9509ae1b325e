#include "remote/wire/greeting.h"

#include <algorithm>

namespace trainyard {

bool isNonce(std::string_view text)
{
    return text.size() == kNonceDigits &&
           text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
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
    m_seen.append(bytes);
    const auto at = m_seen.find(m_line);
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
    std::string shown = m_seen.substr(0, 4 * kKiB);
    std::replace_if(
        shown.begin(), shown.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
    return shown;
}

} // namespace trainyard
