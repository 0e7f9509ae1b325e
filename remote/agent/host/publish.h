#pragma once

#include <filesystem>
#include <functional>

#include "engine/base/result.h"

namespace trainyard::agent {

/// Makes `folder` appear in one instant with everything in it: `fill` writes into a temporary folder beside
/// it, which is synced and renamed. False when `folder` exists already or another process is faster; nothing
/// is left behind then, nor after an error.
Result<bool> publishFolder(const std::filesystem::path& folder,
                           const std::function<Status(const std::filesystem::path& temporary)>& fill);

} // namespace trainyard::agent
