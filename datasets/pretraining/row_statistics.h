#pragma once

#include "datasets/pretraining/instance.h"
#include "datasets/shards/manifest.h"

namespace trainyard {

/// Adds the figures of rows and ignores those of documents.
void addRow(DatasetStatistics& statistics, const Instance& instance, int sequenceLength, std::int32_t maskId);

/// Adds the figures of rows; those of documents are left alone.
void addRows(DatasetStatistics& sum, const DatasetStatistics& more);

} // namespace trainyard
