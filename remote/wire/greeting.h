#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "remote/wire/protocol.h"

namespace trainyard {

/// Returns kNonceDigits fresh random hex digits: 128 bits that nobody can guess.
std::string makeNonce();
/// True for kNonceDigits lower-case hex digits.
bool isNonce(std::string_view text);

/// The line that the client sends to the shell that starts the agent over SSH, without its end: the agent's
/// hash, the nonce, and whether the session is read-only.
std::string startLine(std::string_view agentSha256, std::string_view nonce, bool readOnly);
bool isStartLine(std::string_view text);

/// The agent's first line, with its newline: `trainyard-agent <nonce>`. The nonce is fresh and the client's
/// own, so no output of a login shell before it can be mistaken for it.
std::string greetingLine(std::string_view nonce);

/// Finds the agent's greeting after the output of the login shell.
class GreetingScanner {
public:
    explicit GreetingScanner(std::string_view nonce);

    /// Takes bytes as they arrive. Returns true once the greeting was seen; rest() then holds the bytes after
    /// it. Unreachable when kGreetingSearchBytes passed without it; noise() then returns the output instead.
    Result<bool> feed(std::string_view bytes);

    const std::string& rest() const { return m_rest; }
    /// Returns the output before the greeting, about 4 KiB of it, made harmless.
    std::string noise() const;

private:
    std::string m_line;
    std::string m_seen;
    std::string m_rest;
    bool m_found = false;
};

} // namespace trainyard
