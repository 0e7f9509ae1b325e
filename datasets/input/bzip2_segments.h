#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "datasets/input/raw_file.h"

namespace trainyard {

/// The part of a bzip2 file between two magic numbers. Magic numbers may start at any bit; one may also occur
/// inside a block, by chance or on purpose.
struct Bzip2Segment {
    enum class Kind : std::uint8_t { Block, StreamEnd, Other };
    static constexpr std::uint64_t kBlockMagic = 0x314159265359;     ///< digits of pi
    static constexpr std::uint64_t kStreamEndMagic = 0x177245385090; ///< digits of its square root
    static constexpr std::uint64_t kMagicBits = 48;
    /// Longer than any block: 900000 symbols of at most 20 bits, and the tables before them.
    static constexpr std::uint64_t kMaxBits = std::uint64_t{8} * (4 << 20);
    static constexpr std::size_t kPadding = 8; ///< zero bytes after `bytes`, so that whole words may be read

    std::string bytes;       ///< the first byte contains the first bit of the segment
    std::uint64_t begin = 0; ///< offset in the file, in bits
    std::uint64_t bits = 0;  ///< length
    Kind kind = Kind::Other; ///< from the magic number at its start
    bool endsFile = false;

    unsigned firstBit() const { return static_cast<unsigned>(begin % 8); }
    std::uint64_t end() const { return begin + bits; }
    /// Returns up to 32 bits, starting at bit `at` of the segment.
    std::uint32_t bitsAt(std::uint64_t at, unsigned count) const;
    /// Appends the bits of the next segment.
    void append(const Bzip2Segment& next);
};

/// Splits a bzip2 file at the magic numbers of its blocks and stream ends without decompressing it. The
/// segments cover the file from the bit `begin` on; the first may have no magic number. A segment longer than
/// any block is cut in two. One thread at a time.
class Bzip2Segments {
public:
    static Result<Bzip2Segments> open(RawFile file, std::uint64_t begin);

    /// Returns nullopt at the end of the file.
    Result<std::optional<Bzip2Segment>> next();

private:
    Bzip2Segments(RawFile file, std::uint64_t begin) : m_file(std::move(file)), m_begin(begin) {}
    Result<bool> readMore();
    Bzip2Segment take(std::uint64_t end);

    RawFile m_file;
    std::string m_bytes;          ///< of the file, starting at the byte of m_begin
    std::uint64_t m_begin;        ///< bit offset of the next segment
    std::uint64_t m_searched = 1; ///< bits after m_begin that were searched for the next magic number
    bool m_ended = false;
};

} // namespace trainyard
