#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/tokenizer/token_spelling.h"
#include "engine/base/result.h"

namespace trainyard {

/// Ids of the tokens that frame rows. A vocab.txt has all of them.
struct SpecialTokens {
    static constexpr std::int32_t kNone = -1; ///< a tokenizer without this token

    std::int32_t pad = 0; ///< 0 in a vocab.txt; shards are padded with zeros in any case
    std::int32_t unknown = 0;
    std::int32_t classify = 0; ///< [CLS]
    std::int32_t separator = 0;
    std::int32_t mask = 0;
    std::int32_t documentEnd = 0; ///< behind every document of running text; [SEP] of a vocab.txt

    bool operator==(const SpecialTokens&) const = default;
};

/// Those that there are, by role: "cls", "sep", "mask", "pad", "unk", and "end" of a document.
std::map<std::string, std::int32_t> idsByRole(const SpecialTokens& special);

/// The tokens of a tokenizer, by their ids, with the roles of the special ones. Those of a vocab.txt are the
/// pieces of BERT's WordPiece; the id of a piece is its line, counted from 0.
class Vocabulary {
public:
    /// The tokens of a tokenizer.json, whose text is `text`; an id without a token has "".
    static Vocabulary ofTokens(std::vector<std::string> tokens, const SpecialTokens& special,
                               std::string text, std::shared_ptr<const TokenSpelling> spelling);

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

    /// Returns the tokens as running text; pieces of WordPiece with "##" joined, punctuation left apart.
    std::string decode(const std::vector<std::int32_t>& ids) const { return m_spelling->decode(ids); }
    /// One token for a person to read: see TokenSpelling.
    std::string shown(std::int32_t id) const { return isSpecial(id) ? piece(id) : m_spelling->shown(id); }
    /// See TokenSpelling.
    void findWords(std::span<const std::int32_t> ids, std::vector<bool>& starts) const
    {
        m_spelling->findWords(ids, starts);
    }

private:
    Vocabulary() = default;
    Status addLine(std::string_view line, std::size_t number);
    Status findSpecial();

    std::vector<std::string> m_pieces;
    SpecialTokens m_special;
    std::string m_text;
    std::string m_sha256;
    std::shared_ptr<const TokenSpelling> m_spelling; ///< never null once made
};

} // namespace trainyard
