#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trainyard {

/// A deflate encoder (RFC 1951, RFC 1950) for columns of token rows after the shuffle of HDF5: of all
/// repetitions it finds only runs of one byte, as Z_RLE of zlib does, and uses a separate Huffman code for
/// every piece. Shuffled ids contain few other repetitions, so the result is about as small as with a search
/// for matches: 5.80 MiB instead of 5.83 for the reference's rows of 128 tokens, in 0.4 of the time of
/// libdeflate at level 2, which would halve the speed of writing a data set. Any inflate reads it. One thread
/// at a time.
class RunDeflate {
public:
    /// Replaces `out` by a zlib stream of `bytes`. `pieceBytes` is the number of bytes after which their kind
    /// changes, such as the size of a plane of the shuffle.
    void compress(std::span<const std::byte> bytes, std::size_t pieceBytes, std::vector<std::byte>& out);

private:
    static constexpr std::size_t kSymbols = 286; ///< literals, end of block, lengths

    /// Least significant bit first, as deflate packs them.
    struct Code {
        std::uint16_t bits = 0;
        std::uint8_t length = 0;
    };
    class BitWriter;

    void findRuns(std::span<const std::byte> bytes);
    void writeBlock(bool last, BitWriter& out);
    void writeCodeLengths(BitWriter& out);
    void writeSymbols(BitWriter& out) const;

    /// The symbols of a block: a literal, or 256 + the length of a run.
    std::span<const std::uint16_t> m_items;
    std::vector<std::uint16_t> m_itemRoom; ///< only grows, so that it is not cleared for every block
    std::vector<std::uint32_t> m_counts;   ///< of symbols
    std::vector<Code> m_codes;             ///< of symbols
};

/// Returns the lengths of an optimal prefix code for these counts, 0 for a count of 0, but none longer than
/// `longest` (then nearly optimal). A single symbol gets one bit.
std::vector<std::uint8_t> codeLengths(std::span<const std::uint32_t> counts, int longest);

} // namespace trainyard
