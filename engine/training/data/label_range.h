#pragma once

#include <cstdint>
#include <filesystem>

#include "datasets/shards/manifest.h"
#include "datasets/shards/row_block.h"
#include "engine/base/result.h"

namespace trainyard {

/// Which labels the rows of a task may have: what lies outside would read beyond a tensor, or teach nonsense.
/// An immutable value.
struct LabelRange {
    TaskKind task = TaskKind::None; ///< None: there are no labels to check
    int classes = 0;                ///< of classify and tag

    static LabelRange of(const Manifest& manifest);

    /// BadInput naming `file` and the first row with an impossible label. `firstRow`: number of the block's
    /// first row in the file.
    Status check(const RowBlock& rows, const std::filesystem::path& file, std::uint64_t firstRow) const;
};

} // namespace trainyard
