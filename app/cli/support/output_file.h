#pragma once

#include <string>

#include "engine/base/result.h"

namespace trainyard {

/// Whether `option`, as in "--out", can name this file, so that nobody waits for what then is lost; empty =
/// nothing is written. BadInput where its folder is not there, or takes no file, or it is a folder itself.
Status checkOutputFile(const char* option, const std::string& file);

} // namespace trainyard
