#include "datasets/pretraining/instance_builder.h"

#include <cmath>
#include <utility>

#include "datasets/pretraining/counter_random.h"

namespace trainyard {

namespace {

/// Consecutive sentences of one document.
struct Side {
    TokenSpan tokens;
    SentencePlace first;
    double bytesPerToken = 0; ///< of the document's text

    double textBytes() const { return bytesPerToken * static_cast<double>(tokens.size()); }
};

/// Drops one token at a time from the longer side (B when equal), at its front or its back, until both fit.
void truncate(TokenSpan& a, TokenSpan& b, std::size_t maxTokens, CounterRandom& random)
{
    struct Range {
        std::size_t begin, end;
        std::size_t size() const { return end - begin; }
    };
    Range ofA{0, a.size()}, ofB{0, b.size()};
    while (ofA.size() + ofB.size() > maxTokens) {
        Range& longer = ofA.size() > ofB.size() ? ofA : ofB;
        if (random.coin())
            ++longer.begin;
        else
            --longer.end;
    }
    a = a.subspan(ofA.begin, ofA.size());
    b = b.subspan(ofB.begin, ofB.size());
}

} // namespace

/// Consecutive sentences [first, end) of the document that one row is made of.
struct InstanceBuilder::Chunk {
    std::size_t first;
    std::size_t end;
    std::size_t sentences() const { return end - first; }
};

/// One document in one pass.
class InstanceBuilder::Pass {
public:
    Pass(const InstanceBuilder& builder, std::size_t place, std::uint32_t pass)
        : m_builder(builder)
        , m_settings(builder.m_settings)
        , m_place(place)
        , m_ordinal(builder.m_partners[place])
        , m_pass(pass)
        , m_document(builder.m_documents.document(m_ordinal))
        , m_random(m_settings.seed, RandomStream::Pairs, m_ordinal, pass)
        , m_target(drawTarget())
    {
    }

    std::uint64_t run(const Sink& sink)
    {
        std::uint32_t number = 0;
        std::uint64_t dropped = 0;
        for (std::size_t next = 0; next < m_document.sentences();) {
            const Chunk chunk = takeChunk(next);
            next = chunk.end;
            if (!makeRow(chunk, next)) {
                ++dropped;
                continue;
            }
            m_builder.m_masker.mask(
                m_row, CounterRandom(m_settings.seed, RandomStream::Masks, m_ordinal, m_pass, number),
                m_scratch);
            sink(std::move(m_row), number);
            ++number;
        }
        return dropped;
    }

private:
    /// One target length per document and pass: short ones make the model meet short rows too.
    std::size_t drawTarget()
    {
        const std::uint32_t longest = m_settings.maxTextTokens();
        return m_random.uniform() < m_settings.shortSequenceShare ? m_random.between(2, longest) : longest;
    }

    bool hasPartner() const { return m_builder.m_partners.size() > 1; }
    /// Both sides always come from this document.
    bool staysInDocument() const
    {
        return m_settings.objective == Objective::Bert && m_settings.nextSentence != NextSentence::Random;
    }

    Chunk takeChunk(std::size_t first) const
    {
        const std::size_t sentences = m_document.sentences();
        std::size_t length = 0;
        std::size_t end = first;
        while (end < sentences && length < m_target)
            length += m_document.sentence(end++).size();
        if (staysInDocument()) {
            if (end == first + 1 && end < sentences)
                ++end;
            if (end + 1 == sentences)
                ++end;
        }
        return {first, end};
    }

    Side side(const Document& document, std::uint32_t ordinal, std::size_t first, std::size_t end) const
    {
        const std::size_t begin = first == 0 ? 0 : document.sentenceEnds[first - 1];
        return {document.tokens.subspan(begin, document.sentenceEnds[end - 1] - begin),
                {ordinal, static_cast<std::uint32_t>(first)},
                static_cast<double>(document.textBytes) / static_cast<double>(document.tokens.size())};
    }
    Side ownSide(std::size_t first, std::size_t end) const { return side(m_document, m_ordinal, first, end); }

    /// False if the chunk gives none. Sentences of the chunk that the row does not use are given back by
    /// lowering `next`.
    bool makeRow(const Chunk& chunk, std::size_t& next)
    {
        if (m_settings.objective == Objective::Masked) {
            join(ownSide(chunk.first, chunk.end), {});
            setLabel(false, false);
            return true;
        }
        if (chunk.sentences() == 1 && (staysInDocument() || !hasPartner()))
            return false;
        makePair(chunk, next);
        return true;
    }

    void makePair(const Chunk& chunk, std::size_t& next)
    {
        const std::size_t sentences = chunk.sentences();
        const std::size_t middle =
            chunk.first +
            (sentences >= 2 ? m_random.between(1, static_cast<std::uint32_t>(sentences) - 1) : 1);
        Side a = ownSide(chunk.first, middle);
        const bool labelled = drawLabel(sentences);
        if (labelled && m_settings.nextSentence == NextSentence::Random) {
            join(a, randomNext(a.tokens.size()));
            next = middle;
        } else {
            Side b = ownSide(middle, chunk.end);
            if (labelled)
                std::swap(a, b);
            join(a, b);
        }
        setLabel(labelled, sentences == 1);
    }

    bool drawLabel(std::size_t sentences)
    {
        switch (m_settings.nextSentence) {
        case NextSentence::Random:
            return hasPartner() && (sentences == 1 || m_random.coin());
        case NextSentence::Swap:
            return m_random.coin();
        case NextSentence::Follow:
            break;
        }
        return false;
    }

    /// From a random sentence of another document on, until the target length is reached.
    Side randomNext(std::size_t lengthOfA)
    {
        const auto others = static_cast<std::uint32_t>(m_builder.m_partners.size()) - 1;
        std::size_t place = m_random.below(others);
        place += place >= m_place ? 1 : 0;
        const std::uint32_t ordinal = m_builder.m_partners[place];
        m_other = m_builder.m_documents.document(ordinal);
        const std::size_t first = m_random.below(static_cast<std::uint32_t>(m_other.sentences()));
        std::size_t end = first, length = lengthOfA;
        do {
            length += m_other.sentence(end++).size();
        } while (end < m_other.sentences() && length < m_target);
        return side(m_other, ordinal, first, end);
    }

    /// [CLS] A [SEP] B [SEP], without B and the [SEP] after it when B is empty.
    void join(Side a, Side b)
    {
        const bool pair = b.tokens.size() > 0;
        truncate(a.tokens, b.tokens, m_settings.maxTextTokens(), m_random);
        const SpecialTokens& special = m_builder.m_special;
        m_row.a = a.first;
        m_row.b = pair ? b.first : a.first;
        m_row.firstSegment = static_cast<std::uint32_t>(a.tokens.size()) + 2;
        m_row.tokens.resize(m_row.firstSegment + (pair ? b.tokens.size() + 1 : 0));
        m_row.tokens.front() = special.classify;
        a.tokens.copyTo(&m_row.tokens[1]);
        m_row.tokens[m_row.firstSegment - 1] = special.separator;
        if (pair)
            b.tokens.copyTo(&m_row.tokens[m_row.firstSegment]);
        m_row.tokens.back() = special.separator;
        m_row.textBytes = static_cast<std::uint32_t>(std::lround(a.textBytes() + b.textBytes()));
    }

    void setLabel(bool label, bool singleSentence)
    {
        m_row.randomNext = label;
        m_row.singleSentence = singleSentence;
    }

    const InstanceBuilder& m_builder;
    const InstanceSettings& m_settings;
    std::size_t m_place;
    std::uint32_t m_ordinal;
    std::uint32_t m_pass;
    Document m_document;
    Document m_other; ///< where B comes from
    CounterRandom m_random;
    std::size_t m_target;
    Instance m_row;
    TokenMasker::Scratch m_scratch;
};

InstanceBuilder::InstanceBuilder(const InstanceSettings& settings, const DocumentSource& documents,
                                 std::span<const std::uint32_t> partners, const Vocabulary& vocabulary)
    : m_settings(settings)
    , m_documents(documents)
    , m_partners(partners)
    , m_special(vocabulary.special())
    , m_masker(settings, vocabulary)
{
}

std::uint64_t InstanceBuilder::build(std::size_t place, std::uint32_t pass, const Sink& sink) const
{
    return Pass(*this, place, pass).run(sink);
}

} // namespace trainyard
