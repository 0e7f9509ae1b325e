#pragma once

#include <string>

#include "datasets/prepare/prepare_options.h"

namespace trainyard {

/// Everything that the result of a preparation depends on: the options, and which files they name in which
/// version (path, size, time of the last change). Two processes with equal texts make the same data set, so
/// one may take up what the other left. Not equal to anything for what cannot be read twice. Requires checked
/// options.
std::string jobText(const PrepareOptions& options);

/// Whether a later process could read the same corpus: not from the standard input or a pipe.
bool canBeReadAgain(const PrepareOptions& options);

} // namespace trainyard
