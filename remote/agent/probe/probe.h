#pragma once

#include <filesystem>

#include <nlohmann/json.hpp>

#include "engine/base/result.h"

namespace trainyard::agent {

/// The facts of this machine that the preflight judges; remote/agent/PROTOCOL.md lists them. What cannot be
/// found out is null or empty, never an error: the judgement is the desk's. Asks nvidia-smi, mpirun and
/// others, so it may take seconds. `needs` as for libraryFacts(), whose BadInput it passes on. Any thread.
Result<nlohmann::json> probe(const std::filesystem::path& root,
                             const nlohmann::json& needs = nlohmann::json::object());

nlohmann::json clockFacts();

} // namespace trainyard::agent
