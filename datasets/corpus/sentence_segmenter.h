#pragma once

#include <string_view>
#include <vector>

namespace trainyard {

/// Splits paragraphs into sentences. Immutable; any thread.
class SentenceSegmenter {
public:
    virtual ~SentenceSegmenter() = default;

    /// The parts point into the paragraph and exclude the white space between them.
    virtual std::vector<std::string_view> split(std::string_view paragraph) const = 0;
};

} // namespace trainyard
