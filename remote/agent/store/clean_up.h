#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace trainyard::agent {

/// What may go.
struct CleanUpRules {
    std::chrono::seconds unusedFor =
        std::chrono::days(30); ///< bundles that no run names, files of none, agents
    std::chrono::seconds partsOlderThan = std::chrono::days(7); ///< uploads that nobody went on with
    bool keepAgents = false; ///< a run lives on another host, by one of the agents here
};

/// Something in the agent's folder that is of no use any more.
struct Leftover {
    enum class Kind { Bundle, Blob, Part, Agent };
    Kind kind = Kind::Blob;
    std::string name; ///< below the agent's folder: "bundles/<id>", "cas/ab/<sha256>", "agents/<sha256>"
    std::uint64_t bytes = 0;
    std::chrono::seconds age{0};
};

/// A bundle that stays, and why.
struct KeptBundle {
    std::string id;
    std::string reason;
};

struct CleanUpPlan {
    std::vector<Leftover> leftovers;
    std::vector<KeptBundle> kept;
};

/// Looks only. Bundles count as needed while any run here names them (attempts and inventory) or since they
/// were last assembled; a file of the store while a bundle has it or since a deployment last asked for it; a
/// part while an upload holds it; an agent while a process here runs it or since a desk last started it
/// (markAgentUsed). What is reached through a symbolic link or does not have one of our names
/// is not even looked at. Failed when the agent's folder cannot be read.
Result<CleanUpPlan> planCleanUp(const std::filesystem::path& root, const CleanUpRules& rules);

/// Removes what planCleanUp() found and that has not been needed since; the bytes that became free. Every
/// step starts from the open folder and follows no link, so nothing outside of `root` can be reached.
Result<std::uint64_t> cleanUp(const std::filesystem::path& root, const CleanUpPlan& plan);

/// By the time of its folder an agent tells that a desk has started it. No effect on one that lies elsewhere.
void markAgentUsed(const std::filesystem::path& root, const std::filesystem::path& program);

/// "bundle", "file", "part", "agent".
const char* nameOf(Leftover::Kind kind);

} // namespace trainyard::agent
