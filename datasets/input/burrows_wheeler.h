#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace trainyard {

/// Undoes the Burrows-Wheeler transform (M. Burrows, D. Wheeler, A Block-sorting Lossless Data Compression
/// Algorithm, 1994) of a block. Keeps its memory, 8 bytes for each of the longest block; one thread at a
/// time.
///
/// Row j of the sorted rotations links to the row that follows it in the original order. Walking these links
/// one by one is bound by the latency of memory: a jump anywhere into 3.6 MB for each byte. So several
/// walkers go at once, each from some row to the next row from which a walk begins; then the parts are put in
/// order.
class BurrowsWheelerInverse {
public:
    /// `longest`: bytes of a block, below 2^23.
    explicit BurrowsWheelerInverse(std::size_t longest);

    /// `last` is the last column of the sorted rotations, `counts` tells how often each byte is in it, and
    /// `origin` is the row of the block itself, below last.size().
    void invert(std::span<const unsigned char> last, const std::array<std::uint32_t, 256>& counts,
                std::uint32_t origin);

    /// Calls visit(std::span<const unsigned char>) with the parts of the block, in order.
    template <typename Visit>
    void visitBlock(const Visit& visit) const
    {
        std::uint32_t row = m_origin;
        for (std::size_t left = m_size; left > 0;) {
            const Part& part = partAt(row);
            const std::size_t size = std::min<std::size_t>(part.size, left); // a periodic block goes round
            visit(std::span(part.bytes, size));
            left -= size;
            row = part.nextRow;
        }
    }

private:
    static constexpr std::size_t kWalkers = 8;
    static constexpr std::size_t kMostParts = 1024;
    static constexpr std::uint32_t kBegin = 1u << 31; ///< marks a link of a row at which a part begins

    struct Part {
        const unsigned char* bytes;
        std::size_t size;
        std::uint32_t nextRow;
    };
    /// Writes one part after the other into memory of its own.
    struct Walker {
        unsigned char* out = nullptr;
        std::uint32_t row = 0;
        Part* part = nullptr; ///< nothing = no part was left for it
    };

    void makeLinks(std::span<const unsigned char> last, const std::array<std::uint32_t, 256>& counts);
    void markBegins();
    bool step(Walker& walker) const;
    bool takePart(Walker& walker);
    const Part& partAt(std::uint32_t row) const;

    std::unique_ptr<std::uint32_t[]> m_links; ///< row << 8 | first byte of the rotation
    std::array<std::unique_ptr<unsigned char[]>, kWalkers> m_bytes;
    std::size_t m_size = 0;
    std::uint32_t m_origin = 0;
    std::vector<std::uint32_t> m_begins; ///< rows at which parts begin, ascending
    std::vector<Part> m_parts;           ///< of the rows in m_begins
    std::size_t m_taken = 0;             ///< of m_parts
};

} // namespace trainyard
