#pragma once

#include <filesystem>
#include <functional>

#include "engine/base/result.h"

namespace trainyard::agent {

/// Makes `folder` appear atomically with its whole content: `fill` writes into a temporary folder next to it,
/// which is then synced and renamed. Returns false when `folder` exists already or another process was
/// faster. Leaves no temporary folder behind, not even after an error.
Result<bool> publishFolder(const std::filesystem::path& folder,
                           const std::function<Status(const std::filesystem::path& temporary)>& fill);

} // namespace trainyard::agent
