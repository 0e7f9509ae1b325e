#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "engine/base/result.h"

namespace trainyard {

/// A dump's XML bytes, read from first to last. One thread at a time.
class ByteSource {
public:
    virtual ~ByteSource() = default;

    /// Fills the front of `buffer`; 0 = the end. BadInput when the file is damaged or ends too early.
    virtual Result<std::size_t> read(std::span<char> buffer) = 0;
    /// Bytes of the file consumed so far, for progress.
    virtual std::uint64_t fileOffset() const = 0;
};

/// Opens a plain or bzip2-compressed file; the first bytes decide, not the name. A bzip2 file may consist of
/// several streams, as Wikipedia's multistream dumps do.
Result<std::unique_ptr<ByteSource>> openDump(const std::filesystem::path& file);

} // namespace trainyard
