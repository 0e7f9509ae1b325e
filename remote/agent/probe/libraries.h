#pragma once

#include <nlohmann/json.hpp>

#include "engine/base/result.h"

namespace trainyard::agent {

/// Returns where this machine's loader would find shared libraries for a rank, and which of the requested
/// symbol versions they lack. `needs` is {"libc.so.6": ["GLIBC_2.34", ...], ...}; the result has the same
/// keys, each with {path, lacks: [...]}, `path` null for a missing library. BadInput when `needs` has another
/// form. This program is static and cannot ask the loader, so it searches the loader's folders, with
/// LD_LIBRARY_PATH and mpirun's own libraries first.
Result<nlohmann::json> libraryFacts(const nlohmann::json& needs);

/// Returns the version of the C library, such as "2.36", taken from the library itself because not every
/// system has getconf. Empty without glibc.
std::string glibcVersion();

} // namespace trainyard::agent
