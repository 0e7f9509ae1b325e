#include "datasets/shards/run_deflate.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include <libdeflate.h>

namespace trainyard {

namespace {

constexpr std::size_t kMinRun = 3, kMaxRun = 258;
constexpr std::uint16_t kRun = 256; ///< items from here on are runs
constexpr std::size_t kEndOfBlock = 256;
constexpr std::size_t kFirstLength = 257; ///< symbol
constexpr std::size_t kBlockBytes = 64u << 10;
constexpr std::size_t kMinPiece = 16u << 10; ///< below, a code of its own costs more than it saves

/// RFC 1951, 3.2.5: symbol 257 + i stands for lengths from kLengthBase[i] on, distinguished by extra bits.
constexpr std::array<std::uint16_t, 29> kLengthBase{3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                                    15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                                    67, 83, 99, 115, 131, 163, 195, 227, 258};
constexpr std::array<std::uint8_t, 29> kExtraBits{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                  2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};

constexpr auto kLengthIndex = [] {
    std::array<std::uint8_t, kMaxRun + 1> index{};
    for (std::size_t length = kMinRun; length <= kMaxRun; ++length) {
        std::size_t i = kLengthBase.size() - 1;
        while (kLengthBase[i] > length)
            --i;
        index[length] = static_cast<std::uint8_t>(i);
    }
    return index;
}();

/// Bytes from `begin` on that are `value`.
std::size_t runOf(std::byte value, const std::byte* begin, const std::byte* end)
{
    const std::byte* at = begin;
    const std::uint64_t eight = 0x0101010101010101u * static_cast<std::uint64_t>(value);
    for (std::uint64_t word; end - at >= 8; at += 8) {
        std::memcpy(&word, at, sizeof word);
        if (word != eight)
            return static_cast<std::size_t>(at - begin) +
                   static_cast<std::size_t>(std::countr_zero(word ^ eight)) / 8; // little-endian
    }
    while (at < end && *at == value)
        ++at;
    return static_cast<std::size_t>(at - begin);
}

std::uint16_t reversed(std::uint32_t code, int length)
{
    std::uint32_t out = 0;
    for (int i = 0; i < length; ++i, code >>= 1)
        out = out << 1 | (code & 1);
    return static_cast<std::uint16_t>(out);
}

} // namespace

/// Appends bits to memory that has room for them, and for 8 bytes more.
class RunDeflate::BitWriter {
public:
    explicit BitWriter(std::byte* out) : m_begin(out), m_out(out) {}

    /// Up to 56 bits may be put before a flush().
    void put(std::uint64_t bits, int count)
    {
        m_bits |= bits << m_count;
        m_count += count;
    }
    void put(const Code& code) { put(code.bits, code.length); }
    /// Whole bytes go out; up to 7 bits stay.
    void flush()
    {
        std::memcpy(m_out, &m_bits, sizeof m_bits);
        m_out += m_count / 8;
        m_bits >>= m_count / 8 * 8;
        m_count %= 8;
    }
    /// Fills up the last byte; gives the bytes written.
    std::size_t finish()
    {
        flush();
        m_out += m_count > 0 ? 1 : 0;
        return static_cast<std::size_t>(m_out - m_begin);
    }

private:
    std::byte* m_begin;
    std::byte* m_out;
    std::uint64_t m_bits = 0;
    int m_count = 0;
};

void RunDeflate::compress(std::span<const std::byte> bytes, std::size_t pieceBytes,
                          std::vector<std::byte>& out)
{
    if (pieceBytes < kMinPiece)
        pieceBytes = bytes.size();
    const std::size_t blockBytes = std::min(pieceBytes, kBlockBytes);
    // A literal costs nine bits at most where it pays to write a code, and a code takes less than 400 bytes.
    out.resize(bytes.size() / 8 * 9 + (bytes.size() / std::max<std::size_t>(blockBytes, 1) + 2) * 512);
    out[0] = std::byte{0x78}; // deflate, window of 32 KiB
    out[1] = std::byte{0x5e}; // a fast encoder
    BitWriter writer(out.data() + 2);
    std::size_t at = 0;
    do {
        const std::size_t pieceLeft = pieceBytes == 0 ? 0 : pieceBytes - at % pieceBytes;
        const std::size_t count = std::min({blockBytes, pieceLeft, bytes.size() - at});
        findRuns(bytes.subspan(at, count));
        at += count;
        writeBlock(at == bytes.size(), writer);
    } while (at < bytes.size());
    std::size_t size = 2 + writer.finish();
    const std::uint32_t check = libdeflate_adler32(1, bytes.data(), bytes.size());
    for (int shift = 24; shift >= 0; shift -= 8)
        out[size++] = static_cast<std::byte>(check >> shift);
    out.resize(size);
}

void RunDeflate::findRuns(std::span<const std::byte> bytes)
{
    if (m_itemRoom.size() < bytes.size())
        m_itemRoom.resize(bytes.size());
    m_counts.assign(kSymbols, 0);
    m_counts[kEndOfBlock] = 1;
    std::uint16_t* item = m_itemRoom.data();
    const std::byte* const end = bytes.data() + bytes.size();
    for (const std::byte* at = bytes.data(); at < end;) {
        const std::byte value = *at++;
        ++m_counts[static_cast<std::size_t>(value)];
        *item++ = static_cast<std::uint16_t>(value);
        if (end - at < static_cast<std::ptrdiff_t>(kMinRun) || at[0] != value || at[1] != value ||
            at[2] != value)
            continue;
        std::size_t run = runOf(value, at, end);
        at += run;
        while (run >= kMinRun) {
            const std::size_t length = std::min(run, kMaxRun);
            ++m_counts[kFirstLength + kLengthIndex[length]];
            *item++ = static_cast<std::uint16_t>(kRun + length);
            run -= length;
        }
        at -= run; // one or two are left
    }
    m_items = std::span(m_itemRoom.data(), item);
}

void RunDeflate::writeBlock(bool last, BitWriter& out)
{
    constexpr int longest = 15;
    const auto lengths = codeLengths(m_counts, longest);
    m_codes.resize(kSymbols);
    std::array<std::uint32_t, longest + 2> next{}; // RFC 1951, 3.2.2
    for (const std::uint8_t length : lengths)
        next[length + 1u] += length > 0 ? 1 : 0;
    for (std::size_t i = 1; i < next.size(); ++i)
        next[i] = (next[i] + next[i - 1]) << 1;
    for (std::size_t symbol = 0; symbol < kSymbols; ++symbol) {
        const std::uint8_t length = lengths[symbol];
        m_codes[symbol] = {length > 0 ? reversed(next[length]++, length) : std::uint16_t{0}, length};
    }
    out.put(last ? 1 : 0, 1);
    out.put(2, 2); // codes of its own
    out.flush();
    writeCodeLengths(out);
    writeSymbols(out);
}

/// RFC 1951, 3.2.7, without its repetitions but that of zeros: a block has one distance, the run's 1.
void RunDeflate::writeCodeLengths(BitWriter& out)
{
    struct Item {
        std::uint8_t symbol; ///< a length, or 17 and 18 for few and many zeros
        std::uint8_t zeros;
    };
    std::vector<Item> items;
    for (std::size_t symbol = 0; symbol < kSymbols;) {
        std::size_t zeros = 0;
        while (symbol + zeros < kSymbols && m_codes[symbol + zeros].length == 0 && zeros < 138)
            ++zeros;
        if (zeros >= 3)
            items.push_back(
                {static_cast<std::uint8_t>(zeros < 11 ? 17 : 18), static_cast<std::uint8_t>(zeros)});
        else
            items.push_back({m_codes[symbol].length, 0});
        symbol += zeros >= 3 ? zeros : 1;
    }
    items.push_back({1, 0}); // the distance has a code of one bit
    std::array<std::uint32_t, 19> counts{};
    for (const Item& item : items)
        ++counts[item.symbol];
    const auto lengths = codeLengths(counts, 7);
    constexpr std::array<std::uint8_t, 19> order{16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                 11, 4,  12, 3, 13, 2, 14, 1, 15};
    out.put(kSymbols - 257, 5);
    out.put(0, 5); // one distance
    out.put(order.size() - 4, 4);
    for (const std::uint8_t symbol : order) {
        out.put(lengths[symbol], 3);
        out.flush();
    }
    std::array<Code, 19> codes{};
    std::uint32_t code = 0;
    for (std::uint8_t length = 1; length <= 7; ++length, code <<= 1) {
        for (std::size_t symbol = 0; symbol < codes.size(); ++symbol) {
            if (lengths[symbol] == length)
                codes[symbol] = {reversed(code++, length), length};
        }
    }
    for (const Item& item : items) {
        out.put(codes[item.symbol]);
        if (item.symbol == 17)
            out.put(item.zeros - 3u, 3);
        else if (item.symbol == 18)
            out.put(item.zeros - 11u, 7);
        out.flush();
    }
}

void RunDeflate::writeSymbols(BitWriter& out) const
{
    const auto write = [&](std::uint16_t item) {
        if (item < kRun) {
            out.put(m_codes[item]);
            return;
        }
        const std::size_t length = item - std::size_t{kRun};
        const std::size_t index = kLengthIndex[length];
        out.put(m_codes[kFirstLength + index]);
        out.put(length - kLengthBase[index], kExtraBits[index] + 1); // and the one bit of the distance, 0
    };
    std::size_t i = 0;
    for (; i + 1 < m_items.size(); i += 2) { // at most 21 bits each
        write(m_items[i]);
        write(m_items[i + 1]);
        out.flush();
    }
    if (i < m_items.size())
        write(m_items[i]);
    out.put(m_codes[kEndOfBlock]);
    out.flush();
}

} // namespace trainyard
