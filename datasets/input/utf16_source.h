#pragma once

#include "datasets/input/byte_source.h"

namespace trainyard {

/// Converts the text of `source` to UTF-8. UTF-16 of either byte order, recognized by its byte order mark or
/// by the "<" of an export, is converted, with U+FFFD for invalid characters; everything else is passed on.
/// The mark is dropped.
Result<std::unique_ptr<ByteSource>> asUtf8(std::unique_ptr<ByteSource> source);

} // namespace trainyard
