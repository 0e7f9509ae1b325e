#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "datasets/shards/manifest.h"
#include "datasets/shards/row_block.h"
#include "engine/base/result.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Made-up rows of a task with a pattern that a small model learns: of lengths 8 to 24 in rows of 24 tokens,
/// words 10 to 96. The class and the number of a row are in its words; a tag (O, B-X, I-X) is that of its
/// word; an answer follows the word 90, and one in four questions has none; a completion repeats its prompt.
constexpr int kTaskLength = 24;
constexpr int kTaskLabels = 3;
RowBlock taskRows(TaskKind task, std::size_t count, std::uint64_t flavour);

/// A data set of such rows: training rows in two shards, and test rows, if any, in two others; for answers
/// with their questions, of which the second and the third test row share one.
struct TaskDataShape {
    std::size_t rows = 96;
    std::size_t testRows = 11;
    std::uint64_t flavour = 1;
};
Status writeTaskDataset(const std::filesystem::path& folder, TaskKind task, const TaskDataShape& shape = {});

/// A data set of given rows, all of them for training if `training`, else held out.
Status writeTaskRows(const std::filesystem::path& folder, const RowBlock& rows, int vocabulary, int labels,
                     bool training);

/// BERT, or for completions GPT, with 2 layers of 32 and dropout everywhere, for writeTaskDataset(); global
/// batch 8; evaluates all test rows every three steps.
RunSpec taskSpec(const std::filesystem::path& dataset, TaskKind task);

} // namespace trainyard
