#pragma once

#include <string_view>

#include "datasets/corpus/sentence_segmenter.h"

namespace trainyard {

/// Holds that sentences are not empty, lie in the text one behind the other, and leave out nothing of ASCII
/// but blanks.
void checkSentences(const SentenceSegmenter& segmenter, std::string_view text);

} // namespace trainyard
