#pragma once

#include <filesystem>

#include "engine/base/result.h"
#include "engine/generation/options/try_options.h"

namespace trainyard {

/// `trainyard-worker try`: continues the prompts with a decoder, or fills in their masks with an encoder, and
/// prints the result. `runDirectory`: of the job that it is, whose journal gets the result, and beside which
/// a run lies that is named by its id; empty: it is none.
Status runTry(const TryOptions& options, const std::filesystem::path& runDirectory = {});

} // namespace trainyard
