#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace trainyard {

constexpr std::size_t kArchiveHeadBytes = 512; ///< a tar archive shows itself at byte 257

/// BadInput, with what to do, when a file that begins so is packed in a way that is not read here.
Status refuseArchives(std::string_view head, const std::string& name);

} // namespace trainyard
