#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "datasets/input/burrows_wheeler.h"
#include "datasets/input/bzip2_segments.h"

namespace trainyard {

/// Decompresses single blocks of bzip2 (J. Seward, bzip2 and libbzip2, version 1.0.8; the format: J. Tsai,
/// BZIP2 Format Specification, 2016). Keeps its working memory, some 8 MiB; one thread at a time.
class Bzip2BlockDecoder {
public:
    enum class State : std::uint8_t {
        Whole,
        OutOfBits, ///< the segment ends before the block
        Damaged,   ///< by its checksum, or it cannot be
        Randomised ///< as bzip2 before 0.9.5 did to repetitive blocks
    };
    struct Outcome {
        State state = State::Damaged;
        std::uint64_t bits = 0; ///< length of the block
        std::uint32_t crc = 0;  ///< of the bytes
        std::string bytes;
    };

    Bzip2BlockDecoder();
    /// `segment` begins with the block's magic number.
    Outcome decode(const Bzip2Segment& segment);

private:
    static constexpr std::size_t kLongestBlock = 900'000; ///< before run lengths are undone
    static constexpr unsigned kLongestCode = 20;
    static constexpr unsigned kFastBits = 10; ///< codes up to this length take one look into a table
    static constexpr std::size_t kGroupSymbols = 50;
    static constexpr std::size_t kMostSelectors = 18'002;
    static constexpr std::size_t kMostSymbols = 258;

    /// Canonical Huffman code of one table.
    struct Code {
        std::array<std::uint16_t, 1 << kFastBits> fast;    ///< symbol << 5 | length; 0 = a longer code
        std::array<std::uint32_t, kLongestCode + 1> limit; ///< codes of this length are below, as 20 bits
        std::array<std::uint32_t, kLongestCode + 1>
            first;                                       ///< code of this length, less its place in `symbols`
        std::array<std::uint16_t, kMostSymbols> symbols; ///< by code
    };
    class BitReader;

    State decodeBlock(BitReader& bits, Outcome& outcome);
    bool readSymbolMap(BitReader& bits);
    bool readSelectors(BitReader& bits);
    bool readCodes(BitReader& bits);
    static bool makeCode(const std::array<std::uint8_t, kMostSymbols>& lengths, std::size_t symbols,
                         Code& code);
    bool readSymbols(BitReader& bits);
    void undoRunLengths(std::string& out) const;

    std::array<unsigned char, 256> m_used; ///< bytes of the block, ascending
    std::size_t m_symbols = 0;             ///< of the alphabet: two for runs, m_used but one, end
    std::size_t m_codesUsed = 0;
    std::vector<std::uint8_t> m_selectors; ///< which code each group of 50 symbols has
    std::array<Code, 6> m_codes;
    std::unique_ptr<unsigned char[]> m_last; ///< last column of the sorted rotations
    std::size_t m_size = 0;                  ///< of the block in m_last
    std::array<std::uint32_t, 256> m_counts; ///< of each byte in m_last
    BurrowsWheelerInverse m_inverse;
};

} // namespace trainyard
