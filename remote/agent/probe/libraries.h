#pragma once

#include <nlohmann/json.hpp>

#include "engine/base/result.h"

namespace trainyard::agent {

/// Where the loader of this machine would find shared libraries for a rank, and which of the symbol versions
/// asked for they lack. `needs` is {"libc.so.6": ["GLIBC_2.34", ...], ...}; the answer has the same keys,
/// each with {path, lacks: [...]}, `path` null for a library that is not here. BadInput when `needs` is
/// something else. This program is static, so the loader cannot be asked: its folders are searched,
/// LD_LIBRARY_PATH and mpirun's own libraries first.
Result<nlohmann::json> libraryFacts(const nlohmann::json& needs);

/// "2.36"; from the C library itself, since not every system has getconf. Empty where there is no glibc.
std::string glibcVersion();

} // namespace trainyard::agent
