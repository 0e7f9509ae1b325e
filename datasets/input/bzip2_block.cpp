#include "datasets/input/bzip2_block.h"

#include <algorithm>
#include <bzlib.h>

namespace trainyard {

namespace {

/// The header of a stream with blocks of the maximum size.
constexpr std::string_view kHeader = "BZh9";

void appendBits(std::string& bytes, std::uint64_t& bits, std::uint64_t value, unsigned count)
{
    for (; count > 0; ++bits) {
        if (bits % 8 == 0)
            bytes.push_back('\0');
        const auto bit = static_cast<int>(value >> --count & 1);
        bytes.back() = static_cast<char>(bytes.back() | bit << (7 - bits % 8));
    }
}

/// The bits of the segment, from the next byte boundary on.
std::string aligned(const Bzip2Segment& segment)
{
    const unsigned shift = segment.firstBit();
    std::string bytes(kHeader);
    bytes.resize(kHeader.size() + (segment.bits + 7) / 8);
    for (std::size_t i = 0; i < bytes.size() - kHeader.size(); ++i) {
        const auto high = static_cast<unsigned char>(segment.bytes[i]);
        const auto low = static_cast<unsigned char>(segment.bytes[i + 1]);
        bytes[kHeader.size() + i] = static_cast<char>((high << 8 | low) >> (8 - shift));
    }
    if (segment.bits % 8 != 0)
        bytes.back() = static_cast<char>(bytes.back() & 0xFF << (8 - segment.bits % 8));
    return bytes;
}

std::string streamAround(const Bzip2Segment& segment, std::uint32_t crc)
{
    std::string stream = aligned(segment);
    if (segment.endsFile)
        return stream; // so that the library asks for more when the file was cut
    std::uint64_t bits = kHeader.size() * 8 + segment.bits;
    appendBits(stream, bits, Bzip2Segment::kStreamEndMagic, Bzip2Segment::kMagicBits);
    appendBits(stream, bits, crc, 32); // of a stream of one block
    return stream;
}

} // namespace

Bzip2Block decompressBlock(const Bzip2Segment& segment)
{
    Bzip2Block block;
    block.crc = segment.bitsAt(Bzip2Segment::kMagicBits, 32);
    std::string compressed = streamAround(segment, block.crc);
    bz_stream stream{};
    TRAINYARD_CHECK(BZ2_bzDecompressInit(&stream, 0, 0) == BZ_OK);
    stream.next_in = compressed.data();
    stream.avail_in = static_cast<unsigned>(compressed.size());
    int status = BZ_OK;
    std::size_t size = 0;
    while (status == BZ_OK && (stream.avail_in > 0 || size == block.bytes.size())) {
        block.bytes.resize(std::max<std::size_t>(1 << 20, size * 2));
        stream.next_out = block.bytes.data() + size;
        stream.avail_out = static_cast<unsigned>(block.bytes.size() - size);
        status = BZ2_bzDecompress(&stream);
        size = block.bytes.size() - stream.avail_out;
    }
    BZ2_bzDecompressEnd(&stream);
    block.bytes.resize(size);
    if (status == BZ_STREAM_END)
        block.state = Bzip2Block::State::Complete;
    else if (status == BZ_OK)
        block.state = Bzip2Block::State::Cut;
    return block;
}

} // namespace trainyard
