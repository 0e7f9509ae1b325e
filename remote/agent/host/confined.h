#pragma once

#include <filesystem>
#include <string_view>

#include "engine/base/file.h"
#include "engine/base/result.h"

namespace trainyard::agent {

/// Opens `relative` below `folder` for reading. BadInput when it is not a path of plain names or leads
/// through a symbolic link: nothing outside the folder can ever be reached. "" = the folder itself.
Result<FileDescriptor> openBeneath(const std::filesystem::path& folder, std::string_view relative);

} // namespace trainyard::agent
