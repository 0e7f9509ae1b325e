#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "datasets/tokenizer_json/merge_table.h"
#include "datasets/tokenizer_json/pair_merger.h"
#include "datasets/tokenizer_json/piece_encoder.h"
#include "engine/base/result.h"

namespace trainyard {

using TokenIds = std::unordered_map<std::string, std::int32_t>;

/// The "model" of a tokenizer.json of type BPE.
struct BytePairSettings {
    TokenIds vocabulary;
    std::vector<std::pair<std::string, std::string>> merges; ///< the first one merges first
    std::optional<std::string> unknown; ///< token of characters that are not in the vocabulary
    std::string continuingPrefix; ///< before every character of a piece except for the first, and in tokens
    std::string endSuffix;        ///< behind the last one
    bool fusesUnknown = false;    ///< one unknown token for neighbouring characters
    bool fallsBackToBytes =
        false;                  ///< characters that are not in the vocabulary are spelled <0xE4><0xB8><0xAD>
    bool ignoresMerges = false; ///< a piece that is a token is that token, whatever the merges make of it
    /// Pieces are bytes; the vocabulary spells them in byte_alphabet.h.
    bool isByteLevel = false;
};

/// Byte pair encoding of pieces as a pre-tokenizer cuts them, with the ids of Hugging Face tokenizers.
/// Characters for which there is neither a token, nor bytes, nor an unknown token are left out, as they do.
class BytePairModel : public PieceModel {
public:
    /// BadInput names what of "model" is wrong.
    static Result<BytePairModel> create(const BytePairSettings& settings);

    std::unique_ptr<PieceEncoder> encoder() const override;
    void encodeAligned(std::string_view piece, std::vector<AlignedPiece>& tokens) const override;

    /// Appends the ids of a piece. encoder() does the same faster.
    void encode(std::string_view piece, PairMerger& merger, std::vector<std::int32_t>& ids) const;

private:
    static constexpr std::int32_t kNone = -1;
    /// Ids of characters, which differ by position if tokens have a prefix or a suffix.
    struct Characters {
        std::array<std::int32_t, 256> bytes; ///< of a byte level, or of ASCII
        std::unordered_map<char32_t, std::int32_t> others;
    };
    static constexpr std::size_t kPositions = 4;
    /// Finds texts without a copy of them.
    struct TextHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };

    BytePairModel(const BytePairSettings& settings, MergeTable merges);
    void addLength(std::string_view token, std::int32_t id);
    void addCharacter(const std::string& token, std::int32_t id, const BytePairSettings& settings);
    std::size_t positionOf(bool isFirst, bool isLast) const
    {
        return (m_hasPrefix && !isFirst ? 1 : 0) + (m_hasSuffix && isLast ? 2 : 0);
    }
    void appendCharacters(std::string_view piece, std::vector<std::int32_t>& ids) const;
    bool appendBytes(std::string_view character, std::vector<std::int32_t>& ids) const;

    std::unordered_map<std::string, std::int32_t, TextHash, std::equal_to<>>
        m_pieces; ///< where merges are ignored
    MergeTable m_merges;
    std::array<Characters, kPositions> m_characters;
    std::array<std::int32_t, 256> m_byteTokens; ///< <0x00> to <0xFF>
    std::vector<std::uint32_t> m_lengths;       ///< of tokens in bytes of a piece, by id
    std::int32_t m_unknown = kNone;
    bool m_fusesUnknown;
    bool m_isByteLevel;
    bool m_hasPrefix;
    bool m_hasSuffix;
};

} // namespace trainyard
