#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/tokenizer_json/pattern.h"

namespace trainyard {

/// A part of a text on its way to the model.
struct TextPiece {
    std::string_view text; ///< not empty
    bool isFirst = false;  ///< begins where the whole text does
};

class PieceSink {
public:
    virtual ~PieceSink() = default;
    virtual void take(const TextPiece& piece) = 0;
};

/// Cuts a piece into smaller ones, which may be changed. Immutable; any thread may use it.
class SplitStep {
public:
    virtual ~SplitStep() = default;
    /// The pieces are valid until take() returns.
    virtual void split(const TextPiece& piece, PieceSink& out) const = 0;
};

/// What becomes of the text that a pattern matches, and of that between matches.
enum class SplitBehavior { Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous };

/// `invert`: what lies between matches is treated as matches are, and the other way round.
std::unique_ptr<SplitStep> splitAtMatches(Pattern pattern, SplitBehavior behavior, bool invert = false);
/// Puts `prefix` before pieces that do not begin with it; only before the first one if `firstOnly`.
std::unique_ptr<SplitStep> splitAfterPrefix(std::string prefix, bool firstOnly = false);
/// Replaces every `from` by `to`.
std::unique_ptr<SplitStep> replaceInPieces(char from, std::string to);
/// GPT-2's: every byte as a character of its own (byte_alphabet.h).
std::unique_ptr<SplitStep> spellBytes();

/// The steps of the "pre_tokenizer" of a tokenizer.json, in their order. Immutable; any thread may use it.
class PreTokenizer {
public:
    void add(std::unique_ptr<SplitStep> step) { m_steps.push_back(std::move(step)); }

    void split(const TextPiece& piece, PieceSink& out) const { splitFrom(0, piece, out); }

private:
    void splitFrom(std::size_t step, const TextPiece& piece, PieceSink& out) const;

    std::vector<std::unique_ptr<SplitStep>> m_steps;
};

} // namespace trainyard
