#include "datasets/pretraining/instance_builder.h"

#include "datasets/pretraining/counter_random.h"
#include "datasets/pretraining/masking.h"

namespace trainyard {

namespace {

using Tokens = std::vector<std::int32_t>;

void append(Tokens& tokens, const Tokens& more)
{
    tokens.insert(tokens.end(), more.begin(), more.end());
}

/// Drops one token at a time from the longer side (B when equal), at its front or its back, until both fit.
/// Only the ends move, so that long sides cost no copying.
void truncatePair(Tokens& a, Tokens& b, std::size_t room, CounterRandom& random)
{
    struct Side {
        std::size_t begin, end;
        std::size_t size() const { return end - begin; }
    };
    Side sideA{0, a.size()}, sideB{0, b.size()};
    while (sideA.size() + sideB.size() > room) {
        Side& longer = sideA.size() > sideB.size() ? sideA : sideB;
        if (random.uniform() < 0.5)
            ++longer.begin;
        else
            --longer.end;
    }
    const auto cut = [](Tokens& tokens, const Side& side) {
        tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(side.end), tokens.end());
        tokens.erase(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(side.begin));
    };
    cut(a, sideA);
    cut(b, sideB);
}

Instance joined(const Tokens& a, const Tokens& b, const SpecialTokens& special)
{
    Instance instance;
    instance.tokens.reserve(a.size() + b.size() + 3);
    instance.tokens.push_back(special.classify);
    append(instance.tokens, a);
    instance.tokens.push_back(special.separator);
    instance.firstSegment = static_cast<std::uint32_t>(instance.tokens.size());
    append(instance.tokens, b);
    instance.tokens.push_back(special.separator);
    return instance;
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
        , m_place(place)
        , m_ordinal(builder.m_partners[place])
        , m_pass(pass)
        , m_document(builder.m_documents.document(m_ordinal))
        , m_random(builder.m_settings.seed, RandomStream::Pairs, m_ordinal, pass)
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
            if (chunk.sentences() == 1 && !hasPartner()) {
                ++dropped;
                continue;
            }
            sink(masked(makePair(chunk, next), number), number);
            ++number;
        }
        return dropped;
    }

private:
    /// One target length per document and pass: short ones make the model meet short rows too.
    std::size_t drawTarget()
    {
        const std::uint32_t room = m_builder.m_settings.room();
        return m_random.uniform() < m_builder.m_settings.shortSequenceShare ? m_random.between(2, room)
                                                                            : room;
    }

    bool hasPartner() const { return m_builder.m_partners.size() > 1; }

    Chunk takeChunk(std::size_t first) const
    {
        std::size_t length = 0;
        std::size_t end = first;
        while (end < m_document.sentences() && length < m_target)
            length += m_document.sentence(end++).size();
        return {first, end};
    }

    /// Sentences of the chunk that B does not use are given back by lowering `next`.
    Instance makePair(const Chunk& chunk, std::size_t& next)
    {
        const std::size_t sentences = chunk.sentences();
        const std::size_t ofA =
            sentences >= 2 ? m_random.between(1, static_cast<std::uint32_t>(sentences) - 1) : 1;
        Tokens a, b;
        for (std::size_t i = 0; i < ofA; ++i)
            m_document.sentence(chunk.first + i).appendTo(a);
        const bool randomNext = hasPartner() && (sentences == 1 || m_random.uniform() < 0.5);
        if (randomNext) {
            appendRandomNext(b, a.size());
            next = chunk.first + ofA;
        } else {
            for (std::size_t i = ofA; i < sentences; ++i)
                m_document.sentence(chunk.first + i).appendTo(b);
        }
        truncatePair(a, b, m_builder.m_settings.room(), m_random);
        Instance instance = joined(a, b, m_builder.m_vocabulary.special());
        instance.randomNext = randomNext;
        instance.singleSentence = sentences == 1;
        return instance;
    }

    /// From a random sentence of another document on, until the target length is reached.
    void appendRandomNext(Tokens& b, std::size_t lengthOfA)
    {
        const auto others = static_cast<std::uint32_t>(m_builder.m_partners.size()) - 1;
        std::size_t place = m_random.below(others);
        place += place >= m_place ? 1 : 0;
        const Document other = m_builder.m_documents.document(m_builder.m_partners[place]);
        std::size_t sentence = m_random.below(static_cast<std::uint32_t>(other.sentences()));
        do {
            other.sentence(sentence++).appendTo(b);
        } while (sentence < other.sentences() && b.size() + lengthOfA < m_target);
    }

    Instance masked(Instance instance, std::uint32_t number) const
    {
        maskTokens(instance, m_builder.m_settings, m_builder.m_vocabulary.special(),
                   m_builder.m_vocabulary.size(),
                   CounterRandom(m_builder.m_settings.seed, RandomStream::Masks, m_ordinal, m_pass, number));
        return instance;
    }

    const InstanceBuilder& m_builder;
    std::size_t m_place;
    std::uint32_t m_ordinal;
    std::uint32_t m_pass;
    Document m_document;
    CounterRandom m_random;
    std::size_t m_target;
};

InstanceBuilder::InstanceBuilder(const InstanceSettings& settings, const DocumentSource& documents,
                                 std::span<const std::uint32_t> partners, const Vocabulary& vocabulary)
    : m_settings(settings), m_documents(documents), m_partners(partners), m_vocabulary(vocabulary)
{
}

std::uint64_t InstanceBuilder::build(std::size_t place, std::uint32_t pass, const Sink& sink) const
{
    return Pass(*this, place, pass).run(sink);
}

} // namespace trainyard
