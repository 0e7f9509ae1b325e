#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace trainyard {

constexpr std::size_t kArchiveHeadBytes = 512; ///< the magic of a tar archive is at byte 257

/// Returns BadInput with a hint for a file whose first bytes are those of an archive or a compressed format
/// that is not supported.
Status refuseArchives(std::string_view head, const std::string& name);

} // namespace trainyard
