#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace trainyard::agent {

/// Runs of this agent that read one data set; their names begin with the time.
struct DataReaders {
    std::string newest; ///< empty: none
    std::string active; ///< of those that are being started or have processes here; empty: none
};

/// Returns who reads which of the data sets in the agent's folder `data`, by the name of its folder. A run
/// reads what its specification or job names, however the path is written; a run of another kind too.
std::map<std::string, DataReaders> dataReaders(const std::filesystem::path& root);

} // namespace trainyard::agent
