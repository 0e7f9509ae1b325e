#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/result.h"
#include "remote/agent/host/detach.h"
#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

/// Starts an attempt's supervisor as a separate process and waits until it is running. `requestText` is the
/// launch request's JSON. Repeating the request of a started attempt changes nothing (started = false), so a
/// request may be repeated after a lost connection. Refused while another attempt is active, when attempt
/// numbers would be skipped, and when none of the run's checkpoints can be loaded. With `goBackTo` the
/// attempt starts from the checkpoint of that step; Refused when that is missing or damaged.
Result<DetachedStart> launchRun(const RunFolder& folder, const std::string& requestText,
                                std::optional<std::int64_t> goBackTo = {});

} // namespace trainyard::agent
