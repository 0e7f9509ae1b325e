#pragma once

#include <filesystem>

#include <nlohmann/json.hpp>

#include "engine/base/result.h"

namespace trainyard::agent {

/// Returns the facts of this machine that the preflight evaluates; remote/agent/PROTOCOL.md lists them.
/// Unknown facts are null or empty, never an error: the client evaluates them. Runs nvidia-smi, mpirun and
/// others, so it may take seconds. `needs` as for libraryFacts(), whose BadInput it returns. Any thread.
Result<nlohmann::json> probe(const std::filesystem::path& root,
                             const nlohmann::json& needs = nlohmann::json::object());

nlohmann::json clockFacts();

} // namespace trainyard::agent
