#include "datasets/prepare/instance_codec.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "engine/base/check.h"

namespace trainyard {

namespace {

/// A plain struct is good enough as a file format, because only this job reads the file.
struct Header {
    std::uint64_t key;
    std::uint32_t document;
    std::uint32_t pass;
    std::uint32_t number;
    SentencePlace a;
    SentencePlace b;
    std::uint32_t firstSegment;
    std::uint32_t tokens;
    std::uint32_t textBytes;
    std::uint32_t size;   ///< of header and values
    std::uint16_t masked; ///< fewer than the tokens of a row, which are at most 65536
    std::uint16_t flags;  ///< 1 = random next, 2 = single sentence
};
static_assert(std::has_unique_object_representations_v<Header>, "no padding: its bytes go to a file");

Header headerOf(std::string_view bytes)
{
    Header header;
    TRAINYARD_CHECK(bytes.size() >= sizeof header);
    std::memcpy(&header, bytes.data(), sizeof header);
    return header;
}

template <typename Stored>
char* put(char* out, const std::vector<std::int32_t>& values)
{
    for (const std::int32_t value : values) {
        const auto stored = static_cast<Stored>(value);
        std::memcpy(out, &stored, sizeof stored);
        out += sizeof stored;
    }
    return out;
}

template <typename Stored>
const char* take(const char* in, std::size_t count, std::vector<std::int32_t>& out)
{
    out.resize(count);
    for (std::int32_t& value : out) {
        Stored stored;
        std::memcpy(&stored, in, sizeof stored);
        value = static_cast<std::int32_t>(stored);
        in += sizeof stored;
    }
    return in;
}

/// Positions take 16 bits, because rows have at most 65536 tokens.
template <typename Id>
void putValues(char* out, const Instance& instance)
{
    out = put<Id>(out, instance.tokens);
    out = put<Id>(out, instance.maskedIds);
    put<std::uint16_t>(out, instance.maskedPositions);
}

template <typename Id>
void takeValues(const char* in, const Header& header, Instance& out)
{
    in = take<Id>(in, header.tokens, out.tokens);
    in = take<Id>(in, header.masked, out.maskedIds);
    take<std::uint16_t>(in, header.masked, out.maskedPositions);
}

} // namespace

void encodeInstance(const InstancePlace& place, const Instance& instance, bool narrow, std::string& out)
{
    const std::size_t ids = instance.tokens.size() + instance.maskedIds.size();
    const std::size_t bytes = ids * (narrow ? sizeof(std::uint16_t) : sizeof(std::int32_t)) +
                              instance.maskedIds.size() * sizeof(std::uint16_t);
    const Header header{
        place.key,
        place.document,
        place.pass,
        place.number,
        instance.a,
        instance.b,
        instance.firstSegment,
        static_cast<std::uint32_t>(instance.tokens.size()),
        instance.textBytes,
        static_cast<std::uint32_t>(sizeof(Header) + bytes),
        static_cast<std::uint16_t>(instance.maskedIds.size()),
        static_cast<std::uint16_t>((instance.randomNext ? 1u : 0u) | (instance.singleSentence ? 2u : 0u))};
    out.append(reinterpret_cast<const char*>(&header), sizeof header);
    out.resize(out.size() + bytes);
    char* values = out.data() + out.size() - bytes;
    narrow ? putValues<std::uint16_t>(values, instance) : putValues<std::int32_t>(values, instance);
}

EncodedInstance peekInstance(std::string_view bytes)
{
    const Header header = headerOf(bytes);
    return {{header.key, header.document, header.pass, header.number}, header.size};
}

void decodeInstance(std::string_view bytes, bool narrow, Instance& out)
{
    const Header header = headerOf(bytes);
    out.a = header.a;
    out.b = header.b;
    out.firstSegment = header.firstSegment;
    out.textBytes = header.textBytes;
    out.randomNext = (header.flags & 1u) != 0;
    out.singleSentence = (header.flags & 2u) != 0;
    const char* values = bytes.data() + sizeof header;
    narrow ? takeValues<std::uint16_t>(values, header, out) : takeValues<std::int32_t>(values, header, out);
}

} // namespace trainyard
