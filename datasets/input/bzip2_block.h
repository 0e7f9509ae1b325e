#pragma once

#include <cstdint>
#include <string>

#include "datasets/input/bzip2_segments.h"

namespace trainyard {

/// A block of a bzip2 file after decompression.
struct Bzip2Block {
    enum class State : std::uint8_t {
        Whole,   ///< the segment is this block, to its last bit, and the checksum agrees
        Damaged, ///< or the segment is no block, or more or less than one
        Cut      ///< the file ends before the block
    };
    State state = State::Damaged;
    std::uint32_t crc = 0;
    std::string bytes;
};

/// Decompresses a segment that begins with a block's magic number, by libbz2: as a stream of one block, made
/// of a header, the bits of the segment, and a stream's end. Any thread.
Bzip2Block decompressBlock(const Bzip2Segment& segment);

} // namespace trainyard
