#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "engine/base/result.h"
#include "remote/ssh/interrupt.h"
#include "remote/ssh/session.h"

namespace trainyard::ssh {

struct CommandOutput {
    std::optional<int> exitStatus; ///< nullopt = ended by a signal
    std::string output;
    std::string errors;
};

/// Runs a command to its end, sending `input` and then end-of-file. Keeps at most 64 KiB of each output
/// stream. Calls `sent` with the number of bytes sent so far. Unreachable when nothing happens for
/// `patience`. Leaves the session non-blocking.
Result<CommandOutput> runCommand(Session& session, const std::string& command, std::string_view input,
                                 std::chrono::milliseconds patience, const Interrupt& interrupt,
                                 const std::function<void(std::size_t sent)>& sent = {});

} // namespace trainyard::ssh
