#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace trainyard::agent {

/// Finds out which hosts see the same folder under this path: each creates an empty file with a unique name
/// and then looks for the names of the others. Of two hosts that share the disk at least the later one sees
/// the mark of the earlier one, also over NFS, which caches missing names only after they were looked up.
/// `own` and `others` are nonces (isNonce). Returns the marks found; own is not among them.
Result<std::vector<std::string>> leaveMark(const std::filesystem::path& folder, const std::string& own,
                                           const std::vector<std::string>& others);

} // namespace trainyard::agent
