#pragma once

#include "datasets/corpus/sentence_segmenter.h"

namespace trainyard {

/// Splits a paragraph into sentences by rules: a full stop, question or exclamation mark ends a sentence if
/// closing quotes or brackets and white space follow and the next word does not start in lower case.
/// Abbreviations ("Dr.", "No. 5", "U.S. Army"), initials ("J. R. R. Tolkien") and enumerations do not end a
/// sentence. The marks of scripts without case (Arabic, Armenian, Devanagari, Ethiopic, ...) are supported;
/// those of Chinese and Japanese need no white space.
std::vector<std::string_view> splitSentences(std::string_view paragraph);

class RuleSegmenter : public SentenceSegmenter {
public:
    std::vector<std::string_view> split(std::string_view paragraph) const override
    {
        return splitSentences(paragraph);
    }
};

} // namespace trainyard
