#pragma once

#include <filesystem>

#include <nlohmann/json.hpp>

namespace trainyard::agent {

/// The facts of this machine that the preflight judges; remote/agent/PROTOCOL.md lists them. What cannot be
/// found out is null or empty, never an error: the judgement is the desk's. Asks nvidia-smi, mpirun and
/// others, so it may take seconds. Any thread.
nlohmann::json probe(const std::filesystem::path& root);

nlohmann::json clockFacts();

} // namespace trainyard::agent
