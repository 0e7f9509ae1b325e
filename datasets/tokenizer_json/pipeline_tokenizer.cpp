#include "datasets/tokenizer_json/pipeline_tokenizer.h"

#include <algorithm>

#include "datasets/tokenizer_json/placed_text.h"
#include "engine/base/utf8.h"

namespace trainyard {

namespace {

class PipelineEncoder : public TextEncoder {
public:
    explicit PipelineEncoder(const TokenizerPipeline& pipeline)
        : m_pipeline(pipeline), m_model(pipeline.model->encoder())
    {
    }

    void encode(std::string_view text, std::vector<std::int32_t>& ids) override
    {
        std::string repaired;
        if (!isUtf8(text)) {
            repaired = text;
            repairUtf8(repaired);
            text = repaired;
        }
        m_pipeline.rawTokens.split(
            text,
            [&](std::size_t begin, std::size_t end) {
                encodeSection(text.substr(begin, end - begin), begin == 0, ids);
            },
            [&](std::int32_t id, std::size_t, std::size_t) { ids.push_back(id); });
    }

private:
    struct ToModel : PieceSink {
        ToModel(PieceEncoder& model, std::vector<std::int32_t>& ids) : model(model), ids(ids) {}
        void take(const TextPiece& piece) override { model.add(piece.text, ids); }

        PieceEncoder& model;
        std::vector<std::int32_t>& ids;
    };

    /// Text between tokens; `isFirst` if the whole text begins with it.
    void encodeSection(std::string_view section, bool isFirst, std::vector<std::int32_t>& ids)
    {
        ToModel toModel(*m_model, ids);
        const std::string_view text = m_pipeline.normalizer.apply(section, m_buffer);
        m_pipeline.normalizedTokens.split(
            text,
            [&](std::size_t begin, std::size_t end) {
                m_pipeline.preTokenizer.split({text.substr(begin, end - begin), isFirst && begin == 0},
                                              toModel);
            },
            [&](std::int32_t id, std::size_t, std::size_t) {
                m_model->finish(ids);
                ids.push_back(id);
            });
        m_model->finish(ids);
    }

    const TokenizerPipeline& m_pipeline;
    std::unique_ptr<PieceEncoder> m_model;
    std::string m_buffer;
};

/// Finds the pieces of a text in it again, from left to right, and adds their tokens.
class AlignedPieces : public PieceSink {
public:
    /// `place`: of the part of the text that is cut into pieces.
    AlignedPieces(const PieceModel& model, const PlacedText& text, TextPlace place,
                  std::vector<AlignedPiece>& tokens)
        : m_model(model), m_text(text), m_place(place), m_tokens(tokens)
    {
    }

    void take(const TextPiece& piece) override
    {
        std::vector<AlignedPiece> tokens;
        m_model.encodeAligned(piece.text, tokens);
        const Found found = find(piece.text);
        for (const AlignedPiece& token : tokens) {
            const TextPlace inText = found.isVerbatim
                                         ? TextPlace{found.place.begin + behindPrefix(token.begin, found),
                                                     found.place.begin + behindPrefix(token.end, found)}
                                         : found.place;
            const TextPlace source = m_text.sourceOf(inText);
            m_tokens.push_back({token.id, source.begin, source.end});
        }
        m_place.begin = found.place.end;
    }

private:
    struct Found {
        TextPlace place;
        std::size_t prefix = 0; ///< bytes of the piece that a step put before the text
        bool isVerbatim = true; ///< behind the prefix
    };

    static std::size_t behindPrefix(std::size_t at, const Found& found)
    {
        return std::max(at, found.prefix) - found.prefix;
    }

    /// White space that a step took away may lie before it. A piece with other bytes than the text, as with
    /// metaspaces, has the text's next word.
    Found find(std::string_view piece) const
    {
        const std::string_view rest =
            std::string_view(m_text.text()).substr(m_place.begin, m_place.end - m_place.begin);
        const std::size_t prefix = decodeUtf8(piece, 0).bytes;
        if (!rest.starts_with(piece) && rest.starts_with(piece.substr(prefix)) && piece.size() > prefix)
            return {{m_place.begin, m_place.begin + piece.size() - prefix}, prefix};
        if (const std::size_t at = rest.find(piece); at != std::string_view::npos)
            return {{m_place.begin + at, m_place.begin + at + piece.size()}};
        const std::size_t word = std::min(rest.find_first_not_of(' '), rest.size());
        const std::size_t end = std::min(rest.find(' ', word), rest.size());
        return {{m_place.begin + word, m_place.begin + end}, 0, false};
    }

    const PieceModel& m_model;
    const PlacedText& m_text;
    TextPlace m_place; ///< what is still to be found
    std::vector<AlignedPiece>& m_tokens;
};

/// Adds the tokens of a text between added ones, whose first byte is `offset` of the whole text.
void alignSection(const TokenizerPipeline& pipeline, std::string_view section, std::size_t offset,
                  std::vector<AlignedPiece>& pieces)
{
    const PlacedText placed(pipeline.normalizer, section);
    const std::string_view text = placed.text();
    const std::size_t before = pieces.size();
    pipeline.normalizedTokens.split(
        text,
        [&](std::size_t begin, std::size_t end) {
            AlignedPieces aligned(*pipeline.model, placed, {begin, end}, pieces);
            pipeline.preTokenizer.split({text.substr(begin, end - begin), offset == 0 && begin == 0},
                                        aligned);
        },
        [&](std::int32_t id, std::size_t begin, std::size_t end) {
            const TextPlace source = placed.sourceOf({begin, end});
            pieces.push_back({id, source.begin, source.end});
        });
    for (std::size_t i = before; i < pieces.size(); ++i) {
        pieces[i].begin += offset;
        pieces[i].end += offset;
    }
}

/// Whole characters, of which several tokens may have bytes, without white space at the ends.
void settlePlace(std::string_view text, AlignedPiece& piece)
{
    const auto isInside = [&](std::size_t at) {
        return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
    };
    const auto isBlank = [&](std::size_t at) {
        return std::string_view(" \t\r\n").find(text[at]) != std::string_view::npos;
    };
    while (isInside(piece.begin))
        --piece.begin;
    while (isInside(piece.end))
        ++piece.end;
    while (piece.begin < piece.end && isBlank(piece.begin))
        ++piece.begin;
    while (piece.begin < piece.end && isBlank(piece.end - 1))
        --piece.end;
}

} // namespace

std::unique_ptr<TextEncoder> PipelineTokenizer::encoder() const
{
    return std::make_unique<PipelineEncoder>(m_pipeline);
}

void PipelineTokenizer::encodeAligned(std::string_view text, std::vector<AlignedPiece>& pieces) const
{
    const std::size_t before = pieces.size();
    if (!isUtf8(text)) {
        std::string repaired(text);
        repairUtf8(repaired);
        encodeAligned(repaired, pieces);
        for (std::size_t i = before; i < pieces.size(); ++i)
            pieces[i] = {pieces[i].id, 0, text.size()}; // what replaces damaged bytes has no place
        return;
    }
    m_pipeline.rawTokens.split(
        text,
        [&](std::size_t begin, std::size_t end) {
            alignSection(m_pipeline, text.substr(begin, end - begin), begin, pieces);
        },
        [&](std::int32_t id, std::size_t begin, std::size_t end) {
            pieces.push_back({id, begin, end});
        });
    for (std::size_t i = before; i < pieces.size(); ++i)
        settlePlace(text, pieces[i]);
}

} // namespace trainyard
