#pragma once

#include <cstddef>

namespace trainyard {

/// memcpy whose target bypasses the caches: for data that will not be read soon and would only displace
/// others. Memory that is written for the first time since long need not be read before, which is a third of
/// a copy's traffic. Visible to other threads as memcpy is.
void streamCopy(void* target, const void* source, std::size_t bytes);

} // namespace trainyard
