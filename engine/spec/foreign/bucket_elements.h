#pragma once

#include "engine/base/units.h"

namespace trainyard {

class SettingsReader;

/// Other tools count a bucket's gradients; Trainyard counts the bytes of their float32 sums.
constexpr Bytes kBytesPerBucketElement = 4;

/// Reads a number of gradients, which people write as 5e8 too. Leaves the target alone when it is absent.
void readBucketElements(SettingsReader& reader, const char* key, Bytes& bucketSize);

} // namespace trainyard
