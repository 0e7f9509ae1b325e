#include "datasets/input/bzip2_segments.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace trainyard {

namespace {

constexpr std::size_t kReadBytes = 1 << 18;
constexpr std::array kMagics{Bzip2Segment::kBlockMagic, Bzip2Segment::kStreamEndMagic};

/// sieve[byte]: bit (magic * 8 + shift) is set when the byte stands `offset` bytes after the first byte of
/// this magic number, if that starts at the bit `shift`. Only inner bytes are told so.
constexpr std::array<std::uint16_t, 256> makeSieve(unsigned offset)
{
    std::array<std::uint16_t, 256> sieve{};
    for (unsigned magic = 0; magic < kMagics.size(); ++magic) {
        for (unsigned shift = 0; shift < 8; ++shift) {
            const auto byte = (kMagics[magic] >> (40 - 8 * offset + shift)) & 0xFF;
            sieve[byte] = static_cast<std::uint16_t>(sieve[byte] | 1u << (magic * 8 + shift));
        }
    }
    return sieve;
}
constexpr auto kSecondByte = makeSieve(1);
constexpr auto kThirdByte = makeSieve(2);

std::uint64_t bigEndian(const char* bytes)
{
    std::uint64_t word;
    std::memcpy(&word, bytes, sizeof(word));
    return __builtin_bswap64(word);
}

std::uint64_t magicAt(const char* bytes, unsigned shift)
{
    return (bigEndian(bytes) >> (16 - shift)) & ((std::uint64_t{1} << Bzip2Segment::kMagicBits) - 1);
}

/// The first bit, not before `from`, at which a magic number starts that `bytes` holds completely; or,
/// negative, a bit before which none starts.
struct Search {
    std::uint64_t bit;
    bool found;
};
Search findMagic(std::string_view bytes, std::uint64_t from)
{
    std::size_t at = from / 8;
    for (; at + sizeof(std::uint64_t) <= bytes.size(); ++at) {
        unsigned shifts = kSecondByte[static_cast<unsigned char>(bytes[at + 1])] &
                          kThirdByte[static_cast<unsigned char>(bytes[at + 2])];
        if (!shifts)
            continue;
        std::optional<std::uint64_t> first;
        for (unsigned i = 0; i < 16; ++i) {
            const std::uint64_t bit = at * 8 + i % 8;
            if ((shifts >> i & 1) && bit >= from && magicAt(bytes.data() + at, i % 8) == kMagics[i / 8])
                first = std::min(first.value_or(bit), bit);
        }
        if (first)
            return {*first, true};
    }
    return {std::max<std::uint64_t>(from, at * 8), false};
}

Bzip2Segment::Kind kindOf(std::uint64_t magic)
{
    if (magic == Bzip2Segment::kBlockMagic)
        return Bzip2Segment::Kind::Block;
    return magic == Bzip2Segment::kStreamEndMagic ? Bzip2Segment::Kind::StreamEnd : Bzip2Segment::Kind::Other;
}

} // namespace

std::uint32_t Bzip2Segment::bitsAt(std::uint64_t at, unsigned count) const
{
    const std::uint64_t bit = firstBit() + at;
    return static_cast<std::uint32_t>(bigEndian(bytes.data() + bit / 8) << (bit % 8) >> (64 - count));
}

void Bzip2Segment::append(const Bzip2Segment& next)
{
    // The last byte of this one is the first of the next, unless a byte ends between them.
    bytes.resize(next.begin / 8 - begin / 8);
    bytes += next.bytes;
    bits += next.bits;
    endsFile = next.endsFile;
}

Result<Bzip2Segments> Bzip2Segments::open(RawFile file, std::uint64_t begin)
{
    if (begin > 0)
        TRAINYARD_TRY_STATUS(file.seek(begin / 8));
    return Bzip2Segments(std::move(file), begin);
}

Result<std::optional<Bzip2Segment>> Bzip2Segments::next()
{
    for (;;) {
        const std::uint64_t bits = m_bytes.size() * 8;
        const unsigned firstBit = m_begin % 8;
        const Search magic = findMagic(m_bytes, firstBit + m_searched);
        m_searched = magic.bit - firstBit;
        if (magic.found || m_searched > Bzip2Segment::kMaxBits)
            return std::optional(take(m_begin + m_searched));
        if (m_ended && bits <= firstBit)
            return std::optional<Bzip2Segment>();
        if (m_ended)
            return std::optional(take(m_begin - firstBit + bits));
        TRAINYARD_TRY(const bool more, readMore());
        m_ended = !more;
    }
}

Result<bool> Bzip2Segments::readMore()
{
    const std::size_t before = m_bytes.size();
    m_bytes.resize(before + kReadBytes);
    TRAINYARD_TRY(const std::size_t got, m_file.read(std::span(m_bytes).subspan(before)));
    m_bytes.resize(before + got);
    return got > 0;
}

/// The segment up to the bit `end` of the file.
Bzip2Segment Bzip2Segments::take(std::uint64_t end)
{
    const std::uint64_t firstByte = m_begin / 8;
    Bzip2Segment segment;
    segment.begin = m_begin;
    segment.bits = end - m_begin;
    segment.bytes = m_bytes.substr(0, (end + 7) / 8 - firstByte);
    segment.bytes.append(Bzip2Segment::kPadding, '\0');
    if (segment.bits >= Bzip2Segment::kMagicBits)
        segment.kind = kindOf(magicAt(segment.bytes.data(), segment.firstBit()));
    m_bytes.erase(0, end / 8 - firstByte);
    segment.endsFile = m_ended && m_bytes.size() * 8 <= end % 8;
    m_begin = end;
    m_searched = 1;
    return segment;
}

} // namespace trainyard
