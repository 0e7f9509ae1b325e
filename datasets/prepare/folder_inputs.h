#pragma once

#include "datasets/job/progress.h"
#include "datasets/options/prepare_options.h"

namespace trainyard {

/// Returns the options with the files of a folder in the place of the folder, and the .idx of a Megatron data
/// set in the place of its .bin or of the name without either. Warns of splits that are left out. A task
/// reads folders itself.
Result<PrepareOptions> withFilesOfFolders(const PrepareOptions& options, Progress& progress);

} // namespace trainyard
