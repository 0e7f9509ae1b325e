#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/tokenizer_json/pattern.h"

namespace trainyard {

/// Changes a text before it is split: the steps of the "normalizer" of a tokenizer.json, in their order.
/// Immutable; any thread may use it.
class Normalizer {
public:
    using Step = std::function<std::string(std::string_view)>;

    void add(Step step) { m_steps.push_back(std::move(step)); }
    bool isEmpty() const { return m_steps.empty(); }

    /// Returns `text` or, if there are steps, what they made of it in `buffer`. Requires valid UTF-8.
    std::string_view apply(std::string_view text, std::string& buffer) const;

private:
    std::vector<Step> m_steps;
};

/// Each match replaced by `content`.
std::string replaced(const Pattern& pattern, std::string_view content, std::string_view text);
/// Without white space (Unicode's) at its ends.
std::string stripped(bool left, bool right, std::string_view text);
/// Without the code points of the set.
std::string without(const CodePointSet& set, std::string_view text);

} // namespace trainyard
