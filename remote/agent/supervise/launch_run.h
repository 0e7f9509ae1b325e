#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/result.h"
#include "remote/agent/host/detach.h"
#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

/// Starts an attempt's supervisor as a process of its own and waits until it is up. `requestText` is the
/// launch request's JSON. Asking again for an attempt that was started already changes nothing (started =
/// false), so a request may be repeated after a lost connection. Refused while another attempt is at work, or
/// when attempts would be left out, or when none of the run's checkpoints can be loaded. With `goBackTo` the
/// attempt starts from the checkpoint of that step; Refused when that is not there or not whole.
Result<DetachedStart> launchRun(const RunFolder& folder, const std::string& requestText,
                                std::optional<std::int64_t> goBackTo = {});

} // namespace trainyard::agent
