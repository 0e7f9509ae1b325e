#pragma once

#include "datasets/options/prepare_options.h"

namespace trainyard {

/// Returns the effective values: threads and shapes filled in, `out` absolute and with links resolved.
/// BadInput names the first option that cannot be used.
Result<PrepareOptions> checkedOptions(const PrepareOptions& options);

} // namespace trainyard
