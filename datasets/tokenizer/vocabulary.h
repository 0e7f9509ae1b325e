#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace trainyard {

/// Ids of the five tokens that BERT needs.
struct SpecialTokens {
    std::int32_t pad = 0; ///< always 0: shards are padded with zeros
    std::int32_t unknown = 0;
    std::int32_t classify = 0; ///< [CLS]
    std::int32_t separator = 0;
    std::int32_t mask = 0;
};

/// The pieces of a WordPiece vocabulary; the id of a piece is its line, counted from 0.
class Vocabulary {
public:
    /// Reads one piece per line, as in BERT's vocab.txt; drops a byte order mark and one empty line at the
    /// end. BadInput names the file and the missing special token, or the line that is empty, repeated or not
    /// UTF-8.
    static Result<Vocabulary> load(const std::filesystem::path& file);
    static Result<Vocabulary> parse(std::string_view text);

    std::size_t size() const { return m_pieces.size(); }
    const std::string& piece(std::int32_t id) const { return m_pieces[static_cast<std::size_t>(id)]; }
    const std::vector<std::string>& pieces() const { return m_pieces; }
    const SpecialTokens& special() const { return m_special; }
    bool isSpecial(std::int32_t id) const;
    /// Guesses from the number of pieces with capital letters whether the vocabulary was made from cased
    /// text.
    bool looksCased() const;

    /// The text of the file, without the dropped parts.
    const std::string& text() const { return m_text; }
    const std::string& sha256() const { return m_sha256; }

    /// Returns the pieces of `ids` as running text: "##" joined, punctuation left apart.
    std::string decode(const std::vector<std::int32_t>& ids) const;

private:
    Vocabulary() = default;
    Status addLine(std::string_view line, std::size_t number);
    Status findSpecial();

    std::vector<std::string> m_pieces;
    SpecialTokens m_special;
    std::string m_text;
    std::string m_sha256;
};

} // namespace trainyard
