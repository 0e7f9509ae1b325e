#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// Marks, between the passes of the cleaner, the place of a removed formula or pronunciation, so that the
/// words that only introduced it, as in "(pronounced )", can be removed too. Never part of a paragraph, nor
/// of markup: XML knows no such character.
constexpr char kOmission = '\x01';

/// A set of bytes to search text for.
class ByteSet {
public:
    explicit constexpr ByteSet(std::string_view bytes)
    {
        for (const char byte : bytes)
            m_has[static_cast<unsigned char>(byte)] = true;
    }

    constexpr bool contains(char byte) const { return m_has[static_cast<unsigned char>(byte)]; }

    /// Returns the position of the first byte of the set, starting at `from`; the size of the text if there
    /// is none.
    constexpr std::size_t find(std::string_view text, std::size_t from) const
    {
        while (from < text.size() && !contains(text[from]))
            ++from;
        return from;
    }

    /// Returns the position of the first byte that is not in the set.
    constexpr std::size_t findOther(std::string_view text, std::size_t from) const
    {
        while (from < text.size() && contains(text[from]))
            ++from;
        return from;
    }

private:
    std::array<bool, 256> m_has{};
};

/// Removes blanks, tabs and line ends at both ends.
std::string_view trimmed(std::string_view text);

/// Changes only A to Z.
std::string asciiLower(std::string_view text);

bool contains(std::span<const std::string_view> words, std::string_view word);

bool startsWithIgnoringCase(std::string_view text, std::string_view lowerCasePrefix);

/// Splits at each `separator` outside [[...]] and {{...}}.
std::vector<std::string_view> splitTopLevel(std::string_view text, char separator);

} // namespace trainyard
