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
    std::optional<int> exitStatus; ///< nothing = ended by a signal
    std::string output;
    std::string errors;
};

/// Runs a command to its end, feeding `input` and then end-of-file. At most 64 KiB of each output stream is
/// kept. `sent` hears how many bytes of the input are on their way. Unreachable when nothing moves for
/// `patience`. Leaves the session non-blocking.
Result<CommandOutput> runCommand(Session& session, const std::string& command, std::string_view input,
                                 std::chrono::milliseconds patience, const Interrupt& interrupt,
                                 const std::function<void(std::size_t sent)>& sent = {});

} // namespace trainyard::ssh
