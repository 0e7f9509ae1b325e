#pragma once

#include <string>

#include "datasets/options/prepare_options.h"

namespace trainyard {

/// Returns everything that the result of a preparation depends on: the options, and path, size and
/// modification time of the files. Two processes with equal texts create the same data set, so one may resume
/// the work of the other. Unique if a file cannot be read twice. Requires checked options.
std::string jobText(const PrepareOptions& options);

/// Returns whether a later process could read the same corpus: not from standard input or a pipe.
bool canBeReadAgain(const PrepareOptions& options);

} // namespace trainyard
