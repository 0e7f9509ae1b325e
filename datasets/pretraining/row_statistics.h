#pragma once

#include "datasets/pretraining/instance.h"
#include "datasets/shards/manifest.h"

namespace trainyard {

/// Adds what one row shows: length, label, and what stands at its masked positions. A random replacement that
/// happens to be the original counts as kept.
void addRow(DatasetStatistics& statistics, const Instance& instance, int sequenceLength, std::int32_t maskId);

/// Adds the figures of rows; those of documents are left alone.
void addRows(DatasetStatistics& sum, const DatasetStatistics& more);

} // namespace trainyard
