#include "datasets/prepare/instance_codec.h"

#include <cstring>
#include <type_traits>

namespace trainyard {

namespace {

/// Ours alone and of this run alone, so a plain struct does as a file format.
struct Header {
    std::uint64_t key;
    std::uint32_t document;
    std::uint32_t pass;
    std::uint32_t number;
    std::uint32_t firstSegment;
    std::uint32_t tokens;
    std::uint16_t masked;
    std::uint16_t flags; ///< 1 = random next, 2 = single sentence
};
static_assert(std::has_unique_object_representations_v<Header>, "no padding: its bytes go to a file");

Header headerOf(std::string_view bytes)
{
    Header header;
    TRAINYARD_CHECK(bytes.size() >= sizeof header);
    std::memcpy(&header, bytes.data(), sizeof header);
    return header;
}

void appendValues(std::string& out, const std::vector<std::int32_t>& values)
{
    out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(std::int32_t));
}

std::string_view takeValues(std::string_view bytes, std::size_t count, std::vector<std::int32_t>& out)
{
    out.resize(count);
    std::memcpy(out.data(), bytes.data(), count * sizeof(std::int32_t));
    return bytes.substr(count * sizeof(std::int32_t));
}

} // namespace

void encodeInstance(const InstancePlace& place, const Instance& instance, std::string& out)
{
    const Header header{
        place.key,
        place.document,
        place.pass,
        place.number,
        instance.firstSegment,
        static_cast<std::uint32_t>(instance.tokens.size()),
        static_cast<std::uint16_t>(instance.maskedIds.size()),
        static_cast<std::uint16_t>((instance.randomNext ? 1u : 0u) | (instance.singleSentence ? 2u : 0u))};
    out.append(reinterpret_cast<const char*>(&header), sizeof header);
    appendValues(out, instance.tokens);
    appendValues(out, instance.maskedPositions);
    appendValues(out, instance.maskedIds);
}

EncodedInstance peekInstance(std::string_view bytes)
{
    const Header header = headerOf(bytes);
    return {{header.key, header.document, header.pass, header.number},
            sizeof header + (header.tokens + 2u * header.masked) * sizeof(std::int32_t)};
}

void decodeInstance(std::string_view bytes, Instance& out)
{
    const Header header = headerOf(bytes);
    bytes.remove_prefix(sizeof header);
    out.firstSegment = header.firstSegment;
    out.randomNext = (header.flags & 1u) != 0;
    out.singleSentence = (header.flags & 2u) != 0;
    bytes = takeValues(bytes, header.tokens, out.tokens);
    bytes = takeValues(bytes, header.masked, out.maskedPositions);
    takeValues(bytes, header.masked, out.maskedIds);
}

} // namespace trainyard
