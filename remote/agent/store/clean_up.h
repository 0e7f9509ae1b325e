#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace trainyard::agent {

/// Limits of what clean-up may remove.
struct CleanUpRules {
    std::chrono::seconds unusedFor =
        std::chrono::days(30); ///< bundles that no run names, files of none, agents
    std::chrono::seconds partsOlderThan = std::chrono::days(7); ///< uploads that nobody went on with
    bool keepAgents = false; ///< a run lives on another host, by one of the agents here
    /// Whatever its age and whichever run was started with it, also marks, locks and the agent that asks.
    /// Runs and whole data sets stay, as do agents that other processes run.
    bool everything = false;
};

/// A removable entry of the agent's folder.
struct Leftover {
    enum class Kind { Bundle, Blob, Part, Agent, Mark, Lock };
    Kind kind = Kind::Blob;
    std::string name; ///< below the agent's folder: "bundles/<id>", "cas/ab/<sha256>", "devices.lock"
    std::uint64_t bytes = 0;
    std::chrono::seconds age{0};
};

/// A bundle that is kept, and why.
struct KeptBundle {
    std::string id;
    std::string reason;
};

struct CleanUpPlan {
    std::vector<Leftover> leftovers;
    std::vector<KeptBundle> kept;
};

/// Plans a clean-up without removing anything. Keeps bundles named by a run here (attempts and inventory) or
/// assembled recently; files of the store in a kept bundle or recently requested by a deployment; parts held
/// by an upload; whole data sets; agents run by a process here or recently started by a client
/// (markAgentUsed). Ignores symbolic links and names other than ours. Failed when the agent's folder cannot
/// be read.
Result<CleanUpPlan> planCleanUp(const std::filesystem::path& root, const CleanUpRules& rules);

/// Removes the entries found by planCleanUp() that have not been needed since, and returns the freed bytes.
/// Every step starts from the open folder and follows no link, so nothing outside `root` can be reached.
Result<std::uint64_t> cleanUp(const std::filesystem::path& root, const CleanUpPlan& plan);

/// Records in the time of its folder that a client has started the agent. No effect on an agent elsewhere.
void markAgentUsed(const std::filesystem::path& root, const std::filesystem::path& program);

/// "bundle", "file", "part", "agent", "mark", "lock".
const char* nameOf(Leftover::Kind kind);

} // namespace trainyard::agent
