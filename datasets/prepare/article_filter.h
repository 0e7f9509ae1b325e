#pragma once

#include "datasets/input/page_reader.h"

namespace trainyard {

/// Why a page does not become a document; nullptr = it is an article. The name is that of the counter.
const char* reasonToSkip(const Page& page);

} // namespace trainyard
