#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace trainyard {

/// A question of the test rows, as far as its answers are judged.
struct HeldOutQuestion {
    std::string context;
    std::vector<std::string> answers; ///< of several people; none: the context has no answer
};

/// Reads questions.jsonl of a data set for the task answer, in the order of RowBlock::questions. BadInput
/// names the file and the line.
Result<std::vector<HeldOutQuestion>> readQuestions(const std::filesystem::path& file);

} // namespace trainyard
