#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "engine/base/result.h"

namespace trainyard {

/// Where a word was seen in upper and lower case when the parameters were trained: bits of ortho_context.tab.
namespace ortho_context {
constexpr std::uint8_t kInternalUpper = 1 << 2;
constexpr std::uint8_t kUpper = 1 << 1 | 1 << 2 | 1 << 3; ///< at the start of a sentence, inside, unknown
constexpr std::uint8_t kInitialLower = 1 << 4;
constexpr std::uint8_t kLower = 1 << 4 | 1 << 5 | 1 << 6;
} // namespace ortho_context

/// Parameters that Punkt learned for a language (Kiss and Strunk, Unsupervised Multilingual Sentence Boundary
/// Detection, Computational Linguistics 32(4), 2006), in the file format of nltk's punkt_tab. Immutable; any
/// thread.
class PunktParameters {
public:
    /// Reads abbrev_types.txt, collocations.tab, ortho_context.tab and sent_starters.txt from a folder.
    /// BadInput names the missing or damaged file and the line.
    static Result<PunktParameters> load(const std::filesystem::path& folder);

    bool isAbbreviation(std::string_view type) const { return m_abbreviations.contains(type); }
    bool isStarter(std::string_view type) const { return m_starters.contains(type); }
    bool areCollocation(std::string_view first, std::string_view second) const;
    /// Returns the bits of ortho_context; 0 for an unknown word.
    std::uint8_t orthoContext(std::string_view type) const;

    /// Hash of the four files, concatenated in the order of their names: `cat FOLDER/* | sha256sum`.
    const std::string& sha256() const { return m_sha256; }

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };
    using Words = std::unordered_set<std::string, Hash, std::equal_to<>>;

    PunktParameters() = default;
    Status parseContexts(std::string_view text, const std::string& file);
    Status parseCollocations(std::string_view text, const std::string& file);

    Words m_abbreviations; ///< without the final full stop
    Words m_starters;
    Words m_collocations; ///< both words, separated by a tab
    std::unordered_map<std::string, std::uint8_t, Hash, std::equal_to<>> m_contexts;
    std::string m_sha256;
};

} // namespace trainyard
