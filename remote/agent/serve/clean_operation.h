#pragma once

#include <nlohmann/json.hpp>

#include "remote/agent/serve/operations.h"

namespace trainyard::agent {

/// The operation `clean`. With `all`, removes whatever Trainyard has left on this host, this agent included,
/// except runs and data sets: Refused while a run is active or a file is being stored.
Result<Answer> clean(const AgentContext& context, const nlohmann::json& request);

} // namespace trainyard::agent
