#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "datasets/tokenizer_json/pattern_syntax.h"
#include "engine/base/result.h"

namespace trainyard {

/// A regular expression ready to match, as a backtracking machine over classes of code points: two code
/// points that no set of the expression tells apart are one class, so that a set is a mask of 64 bits and one
/// table look-up decides. Immutable; any thread may use it.
class Pattern {
public:
    /// BadInput if it would match the empty text, or has too many different sets or repetitions.
    static Result<Pattern> compile(const PatternNode& tree);
    /// For a regular expression of parsePattern().
    static Result<Pattern> parse(std::string_view text);

    struct Match {
        std::size_t begin = 0;
        std::size_t end = 0;
    };
    /// Returns the first match that begins at text[from] or later. `text` is valid UTF-8, `from` begins a
    /// code point.
    std::optional<Match> find(std::string_view text, std::size_t from) const;

private:
    using ClassMask = std::uint64_t;
    static constexpr std::size_t kMaxClasses = 64;
    static constexpr std::size_t kAscii = 128;
    static constexpr std::size_t kPageBits = 8;
    static constexpr std::size_t kPageSize = std::size_t(1) << kPageBits;

    enum class Op : std::uint8_t { Set, Loop, Jump, Fork, Look, LookNot, Atomic, Assert, Accept };
    struct Instruction {
        Op op = Op::Accept;
        PatternNode::Kind position = PatternNode::Kind::TextBegin; ///< Assert
        bool isFinal = false;                                      ///< Loop: nothing behind it can fail
        ClassMask classes = 0;                                     ///< Set, Loop
        std::uint32_t least = 0;                                   ///< Loop: of code points
        std::uint32_t most = 0;
        std::uint32_t target = 0; ///< Jump; Fork: the second choice; Look, Atomic: behind their part
    };
    class Compiler;
    class Choices;

    Pattern() = default;
    std::vector<ClassMask> classify(const std::vector<CodePointSet>& sets);
    void fillPages(const std::vector<std::uint8_t>& flat);
    std::uint8_t classOf(char32_t code) const
    {
        return m_classes[m_pages[code >> kPageBits] * kPageSize + code % kPageSize];
    }
    struct Text;
    /// Of the code point at `at`, with its length.
    std::uint8_t classAt(const char* at, std::size_t& bytes) const
    {
        const auto byte = [at](std::size_t i) { return char32_t(static_cast<unsigned char>(at[i])); };
        const char32_t lead = byte(0);
        bytes = lead < kAscii ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        if (bytes == 1)
            return m_ascii[lead];
        char32_t code = (lead & (0x7F >> bytes)) << 6 | (byte(1) & 0x3F);
        for (std::size_t i = 2; i < bytes; ++i)
            code = code << 6 | (byte(i) & 0x3F);
        return classOf(code);
    }
    const char* skip(const Text& text, const char* at, const Instruction& loop, std::uint32_t& count) const;
    bool holds(const Text& text, const char* at, PatternNode::Kind position) const;
    /// Returns the end of the match, nullptr if there is none.
    const char* run(const Text& text, std::uint32_t start, const char* at) const;

    std::array<std::uint8_t, kAscii> m_ascii{};
    std::vector<std::uint16_t> m_pages; ///< code point >> 8 to a page of m_classes; equal pages are shared
    std::vector<std::uint8_t> m_classes;
    std::vector<Instruction> m_program;
    /// Where the alternatives begin that can match at a code point of a class.
    std::array<std::vector<std::uint32_t>, kMaxClasses> m_starts;
};

} // namespace trainyard
