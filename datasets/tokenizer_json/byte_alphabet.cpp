#include "datasets/tokenizer_json/byte_alphabet.h"

#include "engine/base/utf8.h"

namespace trainyard {

namespace {

constexpr char32_t kFirstOther = 0x100; // of the characters for bytes that are no printable character

constexpr bool isPrintable(unsigned byte)
{
    return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

constexpr auto kCharacters = [] {
    std::array<char32_t, 256> characters{};
    char32_t next = kFirstOther;
    for (unsigned byte = 0; byte < 256; ++byte)
        characters[byte] = isPrintable(byte) ? byte : next++;
    return characters;
}();

std::optional<unsigned char> byteOf(char32_t character)
{
    static constexpr auto kOthers = [] {
        std::array<unsigned char, 68> others{};
        for (unsigned byte = 0; byte < 256; ++byte) {
            if (!isPrintable(byte))
                others[kCharacters[byte] - kFirstOther] = static_cast<unsigned char>(byte);
        }
        return others;
    }();
    if (character < kFirstOther)
        return isPrintable(character) ? std::optional(static_cast<unsigned char>(character)) : std::nullopt;
    const std::size_t place = character - kFirstOther;
    return place < kOthers.size() ? std::optional(kOthers[place]) : std::nullopt;
}

} // namespace

char32_t characterOfByte(unsigned char byte)
{
    return kCharacters[byte];
}

std::string spelledBytes(std::string_view bytes)
{
    std::string out;
    for (const char byte : bytes)
        appendUtf8(out, characterOfByte(static_cast<unsigned char>(byte)));
    return out;
}

std::optional<std::string> bytesSpelledBy(std::string_view text)
{
    std::string bytes;
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Char c = decodeUtf8(text, at);
        const auto byte = byteOf(c.code);
        if (!byte)
            return std::nullopt;
        bytes += static_cast<char>(*byte);
        at += c.bytes;
    }
    return bytes;
}

} // namespace trainyard
