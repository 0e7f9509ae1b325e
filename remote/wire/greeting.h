#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "remote/wire/protocol.h"

namespace trainyard {

/// True for kNonceDigits lower-case hex digits.
bool isNonce(std::string_view text);

/// What the desk tells the shell that starts the agent over SSH: which agent, the nonce, and whether it is
/// only to look. One line, without its end.
std::string startLine(std::string_view agentSha256, std::string_view nonce, bool readOnly);
bool isStartLine(std::string_view text);

/// The agent's first line, with its newline: `trainyard-agent <nonce>`. Because the nonce is the client's own
/// and fresh, nothing that a login shell prints before it can be taken for it.
std::string greetingLine(std::string_view nonce);

/// Finds the agent's greeting behind whatever the login shell printed.
class GreetingScanner {
public:
    explicit GreetingScanner(std::string_view nonce);

    /// Takes bytes as they arrive. True once the greeting was seen; rest() then holds what came behind it.
    /// Unreachable when kGreetingSearchBytes went by without it; noise() then shows what came instead.
    Result<bool> feed(std::string_view bytes);

    const std::string& rest() const { return m_rest; }
    /// What came before the greeting, about 4 KiB of it, made harmless.
    std::string noise() const;

private:
    std::string m_line;
    std::string m_seen;
    std::string m_rest;
    bool m_found = false;
};

} // namespace trainyard
