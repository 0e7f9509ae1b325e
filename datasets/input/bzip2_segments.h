#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "datasets/input/raw_file.h"

namespace trainyard {

/// What a bzip2 file holds from one magic number to the next. Magic numbers stand at any bit; one may also
/// occur in the middle of a block by chance, or because somebody put it there.
struct Bzip2Segment {
    enum class Kind : std::uint8_t { Block, StreamEnd, Other };
    static constexpr std::uint64_t kBlockMagic = 0x314159265359;     ///< digits of pi
    static constexpr std::uint64_t kStreamEndMagic = 0x177245385090; ///< digits of its square root
    static constexpr std::uint64_t kMagicBits = 48;
    /// Longer than any block: 900000 symbols of at most 20 bits, and the tables before them.
    static constexpr std::uint64_t kMaxBits = std::uint64_t{8} * (4 << 20);
    static constexpr std::size_t kPadding = 8; ///< zeros behind `bytes`, so that words may be read

    std::string bytes;       ///< the first bit of the segment lies in the first byte
    std::uint64_t begin = 0; ///< in the file, in bits
    std::uint64_t bits = 0;  ///< length
    Kind kind = Kind::Other; ///< by the magic number at its begin
    bool endsFile = false;

    unsigned firstBit() const { return static_cast<unsigned>(begin % 8); }
    std::uint64_t end() const { return begin + bits; }
    /// Up to 32 bits from `at` on, which counts from the begin of the segment.
    std::uint32_t bitsAt(std::uint64_t at, unsigned count) const;
    /// Adds the bits of the segment that follows.
    void append(const Bzip2Segment& next);
};

/// Cuts a bzip2 file at the magic numbers of its blocks and stream ends, without decompressing. The segments
/// are all of the file from the bit `begin` on; the first may have no magic number. One that would be longer
/// than any block is cut in two. One thread at a time.
class Bzip2Segments {
public:
    static Result<Bzip2Segments> open(RawFile file, std::uint64_t begin);

    /// Nothing at the end of the file.
    Result<std::optional<Bzip2Segment>> next();

private:
    Bzip2Segments(RawFile file, std::uint64_t begin) : m_file(std::move(file)), m_begin(begin) {}
    Result<bool> readMore();
    Bzip2Segment take(std::uint64_t end);

    RawFile m_file;
    std::string m_bytes;          ///< of the file, from the byte of m_begin on
    std::uint64_t m_begin;        ///< bit of the file where the next segment begins
    std::uint64_t m_searched = 1; ///< bits from m_begin on at which the next magic number does not begin
    bool m_ended = false;
};

} // namespace trainyard
