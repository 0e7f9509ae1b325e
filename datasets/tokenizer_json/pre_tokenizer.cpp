#include "datasets/tokenizer_json/pre_tokenizer.h"

#include "datasets/tokenizer_json/byte_alphabet.h"

namespace trainyard {

namespace {

/// Matches and the text between them, joined as a behavior asks.
class SplitAtMatches : public SplitStep {
public:
    SplitAtMatches(Pattern pattern, SplitBehavior behavior, bool invert)
        : m_pattern(std::move(pattern)), m_behavior(behavior), m_invert(invert)
    {
    }

    void split(const TextPiece& piece, PieceSink& out) const override
    {
        if (m_behavior == SplitBehavior::Isolated)
            return splitIsolated(piece, out);
        Joiner joiner{m_behavior, piece, out, {}};
        forEachPart(piece.text, [&](const Part& part) { joiner.add(part); });
        joiner.finish();
    }

private:
    struct Part {
        std::size_t begin = 0;
        std::size_t end = 0;
        bool isMatch = false;
    };

    /// Holds one part back, which the next one may join.
    struct Joiner {
        SplitBehavior behavior;
        const TextPiece& piece;
        PieceSink& out;
        Part held;

        bool joins(const Part& next) const
        {
            switch (behavior) {
            case SplitBehavior::Contiguous:
                return held.isMatch == next.isMatch;
            case SplitBehavior::MergedWithPrevious:
                return !held.isMatch && next.isMatch;
            case SplitBehavior::MergedWithNext:
                return held.isMatch && !next.isMatch;
            default:
                return false;
            }
        }
        void add(const Part& next)
        {
            if (held.end > held.begin && joins(next)) {
                held = {held.begin, next.end,
                        behavior == SplitBehavior::Contiguous ? next.isMatch : !held.isMatch};
                return;
            }
            finish();
            held = next;
        }
        void finish()
        {
            if (held.end > held.begin && !(behavior == SplitBehavior::Removed && held.isMatch))
                emit(piece, held, out);
        }
    };

    static void emit(const TextPiece& piece, const Part& part, PieceSink& out)
    {
        out.take({piece.text.substr(part.begin, part.end - part.begin), piece.isFirst && part.begin == 0});
    }

    void splitIsolated(const TextPiece& piece, PieceSink& out) const
    {
        forEachPart(piece.text, [&](const Part& part) { emit(piece, part, out); });
    }

    template <typename Take>
    void forEachPart(std::string_view text, Take take) const
    {
        std::size_t done = 0;
        while (const auto match = m_pattern.find(text, done)) {
            if (match->begin > done)
                take(Part{done, match->begin, m_invert});
            take(Part{match->begin, match->end, !m_invert});
            done = match->end;
        }
        if (done < text.size())
            take(Part{done, text.size(), m_invert});
    }

    Pattern m_pattern;
    SplitBehavior m_behavior;
    bool m_invert;
};

class SplitAfterPrefix : public SplitStep {
public:
    SplitAfterPrefix(std::string prefix, bool firstOnly) : m_prefix(std::move(prefix)), m_firstOnly(firstOnly)
    {
    }

    void split(const TextPiece& piece, PieceSink& out) const override
    {
        if (piece.text.starts_with(m_prefix) || (m_firstOnly && !piece.isFirst))
            return out.take(piece);
        const std::string changed = m_prefix + std::string(piece.text);
        out.take({changed, piece.isFirst});
    }

private:
    std::string m_prefix;
    bool m_firstOnly;
};

class ReplaceInPieces : public SplitStep {
public:
    ReplaceInPieces(char from, std::string to) : m_from(from), m_to(std::move(to)) {}

    void split(const TextPiece& piece, PieceSink& out) const override
    {
        std::string changed;
        for (const char c : piece.text) {
            if (c == m_from)
                changed += m_to;
            else
                changed += c;
        }
        out.take({changed, piece.isFirst});
    }

private:
    char m_from;
    std::string m_to;
};

class SpellBytes : public SplitStep {
public:
    void split(const TextPiece& piece, PieceSink& out) const override
    {
        const std::string changed = spelledBytes(piece.text);
        out.take({changed, piece.isFirst});
    }
};

} // namespace

std::unique_ptr<SplitStep> splitAtMatches(Pattern pattern, SplitBehavior behavior, bool invert)
{
    return std::make_unique<SplitAtMatches>(std::move(pattern), behavior, invert);
}

std::unique_ptr<SplitStep> splitAfterPrefix(std::string prefix, bool firstOnly)
{
    return std::make_unique<SplitAfterPrefix>(std::move(prefix), firstOnly);
}

std::unique_ptr<SplitStep> replaceInPieces(char from, std::string to)
{
    return std::make_unique<ReplaceInPieces>(from, std::move(to));
}

std::unique_ptr<SplitStep> spellBytes()
{
    return std::make_unique<SpellBytes>();
}

void PreTokenizer::splitFrom(std::size_t step, const TextPiece& piece, PieceSink& out) const
{
    struct Next : PieceSink {
        Next(const PreTokenizer& owner, std::size_t step, PieceSink& out) : owner(owner), step(step), out(out)
        {
        }
        void take(const TextPiece& piece) override { owner.splitFrom(step, piece, out); }

        const PreTokenizer& owner;
        std::size_t step;
        PieceSink& out;
    };
    if (step == m_steps.size())
        return out.take(piece);
    if (step + 1 == m_steps.size())
        return m_steps[step]->split(piece, out);
    Next next(*this, step + 1, out);
    m_steps[step]->split(piece, next);
}

} // namespace trainyard
