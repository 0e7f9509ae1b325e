#pragma once

#include <string>

#include "engine/base/result.h"

namespace trainyard {

/// Whether --spec-out can name this file, so that nobody waits for what then is lost; empty = nothing is
/// written. BadInput where its folder is not there, or it is one itself.
Status checkSpecOutput(const std::string& file);

} // namespace trainyard
