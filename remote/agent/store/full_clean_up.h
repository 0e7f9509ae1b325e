#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "remote/agent/store/clean_up.h"

namespace trainyard::agent {

/// An entry of the agent's folder that a full clean-up leaves.
struct Remainder {
    enum class Kind {
        Run,
        DataSet,
        Agent, ///< that another process runs
        Other  ///< not Trainyard's, or stored in the meantime
    };
    Kind kind = Kind::Other;
    std::string name; ///< of the run or data set; else its path below the agent's folder
};

/// Refused while a file is being stored here: when a part is locked, or one that has no lock was written to
/// within the last minute.
Status checkNothingArrives(const std::filesystem::path& root);

/// Returns everything but the entries of `plan`; files of data sets in the store belong to them. In order of
/// path.
std::vector<Remainder> remainders(const std::filesystem::path& root, const CleanUpPlan& plan);

/// Removes the agent's own folders that are empty, and then `root`. Leaves a root that the user has put
/// elsewhere, with a link in the home folder to it.
void removeEmptyFolders(const std::filesystem::path& root);

/// The other places where a client looks for the agent's folder, if there is one: a try to store an agent
/// where no program may run leaves empty folders. Absolute paths.
std::vector<std::filesystem::path> otherAgentFolders(const std::filesystem::path& root);

/// "run", "data-set", "agent", "other".
const char* nameOf(Remainder::Kind kind);

} // namespace trainyard::agent
