#pragma once

#include <string>

#include "engine/base/result.h"

namespace trainyard {

/// Checks early that the file of `option`, as in "--out", can be written, so that no result is computed in
/// vain; an empty name passes. BadInput if its folder is missing or not writable, or if it is a folder.
Status checkOutputFile(const char* option, const std::string& file);

} // namespace trainyard
