#pragma once

#include <string>
#include <string_view>

#include "datasets/prepare/instance_spill.h"

namespace trainyard {

/// Appends one instance to the bytes of a spill. The place comes first, in fixed width. `narrow`: all ids are
/// below 65536 and take 16 bits.
void encodeInstance(const InstancePlace& place, const Instance& instance, bool narrow, std::string& out);

/// The place of the instance that starts at bytes[0], and its size in bytes.
struct EncodedInstance {
    InstancePlace place;
    std::size_t size;
};
EncodedInstance peekInstance(std::string_view bytes);

void decodeInstance(std::string_view bytes, bool narrow, Instance& out);

} // namespace trainyard
