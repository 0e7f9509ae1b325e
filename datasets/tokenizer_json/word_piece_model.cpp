#include "datasets/tokenizer_json/word_piece_model.h"

#include "datasets/tokenizer/wordpiece_encoder.h"
#include "engine/base/utf8.h"

namespace trainyard {

namespace {

/// Hands every piece on at once.
template <typename Encoder>
class DirectEncoder : public PieceEncoder {
public:
    template <typename Model>
    explicit DirectEncoder(Model& model) : m_encoder(model)
    {
    }
    void add(std::string_view piece, std::vector<std::int32_t>& ids) override
    {
        m_encoder.encode(piece, ids);
    }
    void finish(std::vector<std::int32_t>&) override {}

private:
    Encoder m_encoder;
};

class BertModel : public PieceModel {
public:
    BertModel(const Vocabulary& vocabulary, bool cased) : m_wordPiece(vocabulary, huggingFaceTables(), cased)
    {
    }

    std::unique_ptr<PieceEncoder> encoder() const override
    {
        return std::make_unique<DirectEncoder<WordPieceEncoder>>(m_wordPiece);
    }

    void encodeAligned(std::string_view text, std::vector<AlignedPiece>& tokens) const override
    {
        m_wordPiece.encodeAligned(text, tokens);
    }

private:
    WordPiece m_wordPiece;
};

std::size_t codePointsIn(std::string_view text)
{
    std::size_t count = 0;
    for (const char c : text)
        count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    return count;
}

} // namespace

WordPieceModel::WordPieceModel(const WordPieceSettings& settings)
    : WordPieceModel(settings, [&] {
        Tokens tokens;
        for (const auto& [name, id] : settings.vocabulary) {
            tokens.names.push_back(name);
            tokens.ids.push_back(id);
        }
        return tokens;
    }())
{
}

WordPieceModel::WordPieceModel(const WordPieceSettings& settings, Tokens tokens)
    : m_trie(tokens.names)
    , m_ids(std::move(tokens.ids))
    , m_hasContinuations(m_trie.step(m_continuation, settings.prefix))
    , m_unknown(settings.vocabulary.at(settings.unknown))
    , m_longest(settings.longest)
{
}

std::unique_ptr<PieceEncoder> WordPieceModel::encoder() const
{
    return std::make_unique<DirectEncoder<const WordPieceModel&>>(*this);
}

template <typename Token>
bool WordPieceModel::cutWord(std::string_view word, Token token) const
{
    bool isKnown = codePointsIn(word) <= m_longest;
    for (std::size_t at = 0; isKnown && at < word.size();) {
        PieceTrie::Match match;
        if (at == 0)
            match = m_trie.longest(PieceTrie::kRoot, word);
        else if (m_hasContinuations)
            match = m_trie.longest(m_continuation, word.substr(at));
        isKnown = match.id != PieceTrie::kNone && match.bytes > 0;
        if (isKnown)
            token(m_ids[static_cast<std::size_t>(match.id)], match.bytes);
        at += match.bytes;
    }
    return isKnown;
}

void WordPieceModel::encode(std::string_view word, std::vector<std::int32_t>& ids) const
{
    const std::size_t before = ids.size();
    if (cutWord(word, [&](std::int32_t id, std::size_t) { ids.push_back(id); }))
        return;
    ids.resize(before);
    ids.push_back(m_unknown);
}

void WordPieceModel::encodeAligned(std::string_view word, std::vector<AlignedPiece>& tokens) const
{
    const std::size_t before = tokens.size();
    std::size_t at = 0;
    const auto add = [&](std::int32_t id, std::size_t bytes) {
        tokens.push_back({id, at, at + bytes});
        at += bytes;
    };
    if (cutWord(word, add))
        return;
    tokens.resize(before);
    tokens.push_back({m_unknown, 0, word.size()});
}

std::unique_ptr<PieceModel> bertModel(const Vocabulary& vocabulary, bool cased)
{
    return std::make_unique<BertModel>(vocabulary, cased);
}

std::optional<Vocabulary> bertVocabulary(const WordPieceSettings& settings)
{
    if (settings.unknown != "[UNK]" || settings.prefix != "##" ||
        settings.longest != TextNormalizer::kMaxWordLength)
        return std::nullopt;
    std::vector<const std::string*> lines(settings.vocabulary.size());
    for (const auto& [token, id] : settings.vocabulary) {
        const auto line = static_cast<std::size_t>(id);
        if (line >= lines.size() || lines[line])
            return std::nullopt; // the ids leave a gap, as lines cannot
        lines[line] = &token;
    }
    std::string text;
    for (const std::string* line : lines)
        text.append(*line) += '\n';
    auto vocabulary = Vocabulary::parse(text);
    return vocabulary.ok() ? std::optional(std::move(vocabulary).value()) : std::nullopt;
}

} // namespace trainyard
