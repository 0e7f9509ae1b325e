#include "engine/spec/foreign/bucket_elements.h"

#include <fmt/format.h>

#include "engine/spec/foreign/settings_reader.h"

namespace trainyard {

void readBucketElements(SettingsReader& reader, const char* key, Bytes& bucketSize)
{
    const auto elements = reader.get<double>(key);
    if (!elements)
        return;
    if (*elements >= 1 && *elements <= 1e12)
        bucketSize = static_cast<Bytes>(*elements) * kBytesPerBucketElement;
    else
        reader.complain(key, fmt::format("is {}", *elements), "must be from 1 to 1e12");
}

} // namespace trainyard
