#include "tests/fuzz/check_sentences.h"

#include <algorithm>

#include "engine/base/check.h"

namespace trainyard {

void checkSentences(const SentenceSegmenter& segmenter, std::string_view text)
{
    const auto isBlank = [](unsigned char c) { return c <= ' ' || c >= 0x7F; };
    const char* at = text.data();
    for (const std::string_view sentence : segmenter.split(text)) {
        TRAINYARD_CHECK(!sentence.empty() && sentence.data() >= at);
        TRAINYARD_CHECK(std::all_of(at, sentence.data(), isBlank));
        at = sentence.data() + sentence.size();
    }
    TRAINYARD_CHECK(at <= text.data() + text.size());
    TRAINYARD_CHECK(std::all_of(at, text.data() + text.size(), isBlank));
}

} // namespace trainyard
