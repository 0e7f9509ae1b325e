#include "datasets/input/document_id.h"

#include "engine/base/parsed_number.h"

namespace trainyard {

namespace {

/// 64-bit FNV-1a (RFC draft-eastlake-fnv), without the top bit: ids are stored as signed numbers too.
std::uint64_t hashOf(std::string_view text)
{
    std::uint64_t hash = 0xCBF29CE484222325u;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
    return hash & ~(std::uint64_t{1} << 63);
}

} // namespace

std::uint64_t idOfText(std::string_view text)
{
    const auto value = parsedNumber<std::uint64_t>(text);
    return value ? *value : hashOf(text);
}

} // namespace trainyard
