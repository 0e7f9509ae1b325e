#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "datasets/shards/question_file.h"
#include "engine/base/result.h"
#include "engine/training/data/held_out_rows.h"

namespace trainyard {

/// What is right for the test rows of a task, in memory: a few bytes a row, of tags and answers a few bytes a
/// token. Columns without a meaning for the task are empty.
struct HeldOutLabels {
    std::size_t length = 0;                ///< tokens of a row
    std::vector<std::int32_t> labels;      ///< [rows] classes, or [rows, length] of words
    std::vector<double> values;            ///< [rows]
    std::vector<std::int32_t> tokenBegins; ///< [rows, length], as in RowBlock
    std::vector<std::int32_t> tokenEnds;
    std::vector<std::size_t> questionOf; ///< [rows]: index in `questions`, which may lack it
    std::vector<HeldOutQuestion> questions;

    /// Reads every row once, and takes the questions of `rows`. Errors of the rows.
    static Result<HeldOutLabels> read(HeldOutRows& rows);

    /// The part of a column with a value for each token that belongs to a row.
    template <typename Value>
    std::span<const Value> tokensOf(const std::vector<Value>& column, std::size_t row) const
    {
        return std::span(column).subspan(row * length, length);
    }
};

} // namespace trainyard
