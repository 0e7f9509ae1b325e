#include "datasets/input/bzip2_block.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "datasets/input/bzip2_crc.h"

namespace trainyard {

/// Bits from the highest of each byte on. Behind the segment and its padding there are zeros without end.
class Bzip2BlockDecoder::BitReader {
public:
    explicit BitReader(const Bzip2Segment& segment)
        : m_begin(segment.bytes.data())
        , m_next(m_begin)
        , m_last(m_begin + segment.bytes.size() - sizeof(std::uint64_t))
        , m_firstBit(segment.firstBit())
        , m_size(segment.bits)
    {
        refill();
        drop(m_firstBit);
    }

    /// At least 56 bits can be peeked at afterwards.
    void refill()
    {
        if (m_next > m_last) [[unlikely]] {
            m_overran = true;
            return;
        }
        static_assert(std::endian::native == std::endian::little);
        std::uint64_t word;
        std::memcpy(&word, m_next, sizeof(word));
        m_bits |= __builtin_bswap64(word) >> m_count;
        m_next += (63 - m_count) / 8;
        m_count |= 56;
    }
    std::uint32_t peek(unsigned count) const { return static_cast<std::uint32_t>(m_bits >> (64 - count)); }
    void drop(unsigned count)
    {
        m_bits <<= count;
        m_count -= count;
    }
    /// 1 to 32 bits.
    std::uint32_t take(unsigned count)
    {
        refill();
        const std::uint32_t value = peek(count);
        drop(count);
        return value;
    }

    std::uint64_t consumed() const
    {
        return static_cast<std::uint64_t>(m_next - m_begin) * 8 - m_count - m_firstBit;
    }
    bool overran() const { return m_overran || consumed() > m_size; }

private:
    const char* m_begin;
    const char* m_next;
    const char* m_last;       ///< the last place where eight bytes can be read
    std::uint64_t m_bits = 0; ///< what comes next, from the highest bit on
    unsigned m_count = 0;     ///< of the bits in m_bits
    unsigned m_firstBit;
    std::uint64_t m_size;
    bool m_overran = false;
};

Bzip2BlockDecoder::Bzip2BlockDecoder()
    : m_last(std::make_unique_for_overwrite<unsigned char[]>(kLongestBlock + kGroupSymbols))
    , m_inverse(kLongestBlock)
{
}

Bzip2BlockDecoder::Outcome Bzip2BlockDecoder::decode(const Bzip2Segment& segment)
{
    Outcome outcome;
    BitReader bits(segment);
    outcome.state = decodeBlock(bits, outcome);
    outcome.bits = bits.consumed();
    if (outcome.state == State::Damaged && bits.overran())
        outcome.state = State::OutOfBits;
    return outcome;
}

Bzip2BlockDecoder::State Bzip2BlockDecoder::decodeBlock(BitReader& bits, Outcome& outcome)
{
    bits.take(24); // the magic number
    bits.take(24);
    outcome.crc = bits.take(32);
    const bool randomised = bits.take(1);
    const std::uint32_t origin = bits.take(24);
    if (!readSymbolMap(bits) || !readSelectors(bits) || !readCodes(bits) || !readSymbols(bits))
        return State::Damaged;
    if (bits.overran())
        return State::OutOfBits;
    if (origin >= m_size)
        return State::Damaged;
    if (randomised)
        return State::Randomised;
    m_inverse.invert({m_last.get(), m_size}, m_counts, origin);
    undoRunLengths(outcome.bytes);
    return bzip2Crc(outcome.bytes) == outcome.crc ? State::Whole : State::Damaged;
}

/// Which bytes occur: 16 bits for the ranges of 16 that do, then 16 bits for each of those.
bool Bzip2BlockDecoder::readSymbolMap(BitReader& bits)
{
    std::size_t used = 0;
    const std::uint32_t ranges = bits.take(16);
    for (unsigned range = 0; range < 16; ++range) {
        const std::uint32_t members = ranges >> (15 - range) & 1 ? bits.take(16) : 0;
        for (unsigned member = 0; member < 16; ++member) {
            if (members >> (15 - member) & 1)
                m_used[used++] = static_cast<unsigned char>(range * 16 + member);
        }
    }
    m_symbols = used + 2;
    return used > 0;
}

/// Numbers of codes, moved to front, in unary.
bool Bzip2BlockDecoder::readSelectors(BitReader& bits)
{
    m_codesUsed = bits.take(3);
    const std::size_t selectors = bits.take(15);
    if (m_codesUsed < 2 || m_codesUsed > m_codes.size() || selectors == 0)
        return false;
    std::array<std::uint8_t, 6> order{0, 1, 2, 3, 4, 5};
    m_selectors.clear();
    for (std::size_t i = 0; i < selectors; ++i) {
        std::size_t place = 0;
        while (bits.take(1)) {
            if (++place == m_codesUsed)
                return false;
        }
        std::rotate(order.begin(), order.begin() + place, order.begin() + place + 1);
        if (i < kMostSelectors) // some encoders write more, which mean nothing
            m_selectors.push_back(order[0]);
    }
    return !bits.overran();
}

/// Lengths of codes, each as the difference to the one before.
bool Bzip2BlockDecoder::readCodes(BitReader& bits)
{
    for (std::size_t code = 0; code < m_codesUsed; ++code) {
        std::array<std::uint8_t, kMostSymbols> lengths{};
        unsigned length = bits.take(5);
        for (std::size_t symbol = 0; symbol < m_symbols; ++symbol) {
            while (length >= 1 && length <= kLongestCode && bits.take(1))
                length += bits.take(1) ? -1u : 1u;
            if (length < 1 || length > kLongestCode)
                return false;
            lengths[symbol] = static_cast<std::uint8_t>(length);
        }
        if (!makeCode(lengths, m_symbols, m_codes[code]))
            return false;
    }
    return !bits.overran();
}

bool Bzip2BlockDecoder::makeCode(const std::array<std::uint8_t, kMostSymbols>& lengths, std::size_t symbols,
                                 Code& code)
{
    code.fast.fill(0);
    std::uint32_t next = 0; // code
    std::uint32_t place = 0;
    for (unsigned length = 1; length <= kLongestCode; ++length) {
        next <<= 1;
        code.first[length] = next - place;
        for (std::size_t symbol = 0; symbol < symbols; ++symbol) {
            if (lengths[symbol] != length)
                continue;
            if (next >> length)
                return false; // more codes than there can be
            code.symbols[place++] = static_cast<std::uint16_t>(symbol);
            if (length <= kFastBits)
                std::fill_n(code.fast.begin() + (next << (kFastBits - length)), 1u << (kFastBits - length),
                            static_cast<std::uint16_t>(symbol << 5 | length));
            ++next;
        }
        code.limit[length] = next << (kLongestCode - length);
    }
    return true;
}

/// Undoes Huffman coding, the runs of the most recent byte, and moving to front.
bool Bzip2BlockDecoder::readSymbols(BitReader& reader)
{
    BitReader bits = reader; // so that its fields live in registers
    std::array<unsigned char, 256> recent{};
    std::copy_n(m_used.begin(), m_symbols - 2, recent.begin());
    std::array<std::uint32_t, 256> counts{};
    unsigned char* const last = m_last.get();
    const std::uint32_t endSymbol = static_cast<std::uint32_t>(m_symbols) - 1;
    std::size_t size = 0;
    std::size_t run = 0;
    unsigned runDigits = 0;

    const auto longSymbol = [&](const Code& code) -> std::uint32_t {
        const std::uint32_t ahead = bits.peek(kLongestCode);
        for (unsigned length = kFastBits + 1; length <= kLongestCode; ++length) {
            if (ahead < code.limit[length]) {
                bits.drop(length);
                return code.symbols[(ahead >> (kLongestCode - length)) - code.first[length]];
            }
        }
        bits.drop(kLongestCode);
        return kMostSymbols; // no code begins so
    };
    const auto end = [&](bool fine) {
        reader = bits;
        return fine;
    };

    for (const std::uint8_t selector : m_selectors) {
        if (size > kLongestBlock || bits.overran())
            break;
        const Code& code = m_codes[selector];
        for (std::size_t i = 0; i < kGroupSymbols; ++i) {
            bits.refill();
            const std::uint16_t fast = code.fast[bits.peek(kFastBits)];
            std::uint32_t symbol = fast >> 5;
            if (fast) [[likely]]
                bits.drop(fast & 31);
            else
                symbol = longSymbol(code);
            if (symbol <= 1) {
                // Digits 1 and 2 in the base 2, the lowest first.
                run += std::size_t{symbol + 1} << runDigits++;
                if (run > kLongestBlock)
                    return end(false);
                continue;
            }
            if (run > 0) {
                if (size + run > kLongestBlock)
                    return end(false);
                std::memset(last + size, recent[0], run);
                counts[recent[0]] += static_cast<std::uint32_t>(run);
                size += run;
                run = 0;
                runDigits = 0;
            }
            if (symbol >= endSymbol) {
                m_size = size;
                m_counts = counts;
                return end(symbol == endSymbol && size <= kLongestBlock);
            }
            const std::uint32_t place = symbol - 1;
            const unsigned char byte = recent[place];
            if (place < sizeof(std::uint64_t)) {
                std::uint64_t front;
                std::memcpy(&front, recent.data(), sizeof(front));
                const std::uint64_t moved = ~std::uint64_t{0} >> (56 - 8 * place);
                front = (front & ~moved) | (((front << 8) | byte) & moved);
                std::memcpy(recent.data(), &front, sizeof(front));
            } else {
                std::memmove(recent.data() + 1, recent.data(), place);
                recent[0] = byte;
            }
            last[size++] = byte;
            ++counts[byte];
        }
    }
    return end(false); // the end symbol is missing
}

/// Undoes the first step of compression: four equal bytes, then how many more.
void Bzip2BlockDecoder::undoRunLengths(std::string& out) const
{
    std::size_t left = m_size;
    std::size_t size = 0;
    unsigned equal = 0;
    unsigned char previous = 0;
    out.resize(m_size);
    m_inverse.visitBlock([&](std::span<const unsigned char> bytes) {
        for (const unsigned char byte : bytes) {
            if (equal == 4) {
                if (out.size() < size + byte + left)
                    out.resize(std::max(out.size() * 2, size + byte + left));
                std::memset(out.data() + size, previous, byte);
                size += byte;
                equal = 0;
                continue;
            }
            equal = equal > 0 && byte == previous ? equal + 1 : 1;
            previous = byte;
            out[size++] = static_cast<char>(byte);
        }
        left -= bytes.size();
    });
    out.resize(size);
}

} // namespace trainyard
