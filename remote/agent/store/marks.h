#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace trainyard::agent {

/// Finds out which hosts see one folder under this path: each leaves an empty file under a name that nobody
/// ever used and then looks for the others' names. Of two that share the disk at least the later one sees the
/// earlier one's, also over NFS, where only names that were looked for before are remembered as missing.
/// `own` and `others` are nonces (isNonce). The ones that are here; own is not among them.
Result<std::vector<std::string>> leaveMark(const std::filesystem::path& folder, const std::string& own,
                                           const std::vector<std::string>& others);

} // namespace trainyard::agent
