#pragma once

#include <cstdint>
#include <string>

#include "datasets/input/bzip2_segments.h"

namespace trainyard {

/// A block of a bzip2 file after decompression.
struct Bzip2Block {
    enum class State : std::uint8_t {
        Complete, ///< the segment is exactly this block, and the checksum matches
        Damaged,  ///< wrong checksum, no block, or more or less than one
        Cut       ///< the file ends before the block
    };
    State state = State::Damaged;
    std::uint32_t crc = 0;
    std::string bytes;
};

/// Decompresses a segment that starts with the magic number of a block, with libbz2: as a stream of one
/// block, made of a header, the bits of the segment, and an end of stream. Any thread.
Bzip2Block decompressBlock(const Bzip2Segment& segment);

} // namespace trainyard
