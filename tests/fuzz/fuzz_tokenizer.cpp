#include <algorithm>
#include <array>
#include <vector>

#include "datasets/tokenizer/wordpiece_encoder.h"
#include "engine/base/check.h"
#include "tests/support/fuzz/scratch_folder.h"

using namespace trainyard;

namespace {

using Ids = std::vector<std::int32_t>;

/// Whole words, endings and single characters of several scripts.
Vocabulary vocabulary()
{
    return Vocabulary::parse(
               "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n[\n]\n.\n,\n-\n#\n##\nthe\nof\nmask\nun\naff\n##aff\n"
               "##able\n##s\na\n##a\nb\n##b\nA\n##A\n1\n##1\n##e\ne\né\n##é\nи\n##и\nς\n##ς\nσ\n##σ\n中\n"
               "ᄀ\n##ᅡ\n##ᆨ\n##〮\n##𞀀\n")
        .value();
}

struct CasedTokenizer {
    explicit CasedTokenizer(const UnicodeTables& tables, bool cased)
        : plain(vocabulary(), tables, cased), encoder(plain)
    {
    }
    WordPiece plain;
    WordPieceEncoder encoder;
};

template <typename Encoder>
Ids encode(Encoder& encoder, std::string_view text)
{
    Ids ids;
    encoder.encode(text, ids);
    return ids;
}

void check(CasedTokenizer& tokenizer, std::string_view text)
{
    static const Vocabulary pieces = vocabulary();
    const Ids ids = encode(tokenizer.plain, text);
    for (const std::int32_t id : ids) {
        TRAINYARD_CHECK(id >= 0 && static_cast<std::size_t>(id) < pieces.size());
        TRAINYARD_CHECK(id == pieces.special().unknown || !pieces.isSpecial(id));
    }
    for (int pass = 0; pass < 2; ++pass)
        TRAINYARD_CHECK(encode(tokenizer.encoder, text) == ids);
}

/// Pieces of the vocabulary file are found as a search of all of them finds them.
void checkTrie(std::string_view text)
{
    const auto given = Vocabulary::parse(text);
    if (!given.ok())
        return;
    const PieceTrie trie(given->pieces());
    for (const std::string& word : given->pieces()) {
        std::size_t longest = 0;
        for (const std::string& piece : given->pieces()) {
            if (word.starts_with(piece))
                longest = std::max(longest, piece.size());
        }
        TRAINYARD_CHECK(trie.longest(PieceTrie::kRoot, word + "x").bytes >= longest);
        TRAINYARD_CHECK(trie.longest(PieceTrie::kRoot, word).bytes == longest);
    }
}

} // namespace

/// A text; one that begins like a vocabulary is read as one too.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static std::array<CasedTokenizer, 4> tokenizers{
        CasedTokenizer(huggingFaceTables(), false), CasedTokenizer(huggingFaceTables(), true),
        CasedTokenizer(googlePythonTables(), false), CasedTokenizer(googlePythonTables(), true)};
    const std::string_view text = bytesOf(data, size);
    for (CasedTokenizer& tokenizer : tokenizers)
        check(tokenizer, text);
    if (text.starts_with("[PAD]"))
        checkTrie(text);
    return 0;
}
