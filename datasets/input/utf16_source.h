#pragma once

#include "datasets/input/byte_source.h"

namespace trainyard {

/// What `source` gives as UTF-8: UTF-16 of either byte order, told by its byte order mark or by the '<' of an
/// export, is converted, with U+FFFD for what is no character; all else is passed on. The mark is dropped.
Result<std::unique_ptr<ByteSource>> asUtf8(std::unique_ptr<ByteSource> source);

} // namespace trainyard
