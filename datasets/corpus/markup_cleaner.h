#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "datasets/corpus/paragraphs.h"

namespace trainyard {

/// An article as plain text.
struct CleanText {
    std::vector<std::string> paragraphs; ///< UTF-8, one line each
    DroppedLines dropped;
};

/// Turns wiki markup into running text. Any input is accepted: broken markup costs at most the construct that
/// it breaks. Any thread.
CleanText cleanMarkup(std::string_view markup);

} // namespace trainyard
