#pragma once

#include <cstdint>
#include <vector>

#include <QByteArray>
#include <QString>

#include "app/base/text_table_model.h"
#include "engine/base/result.h"

namespace trainyard {

/// A data set's manifest, prepared for display.
struct DataSetDetails {
    QByteArray manifest; ///< the raw text
    int sequenceLength = 0;
    std::vector<std::uint64_t> rowsByLength; ///< per sixteenth of the sequence length, shortest first
    TextTable statistics;                    ///< statistic, value, meaning
    TextTable settings;                      ///< setting, value
    TextTable counters;                      ///< category, count, meaning: kept and filtered items
    TextTable shards;                        ///< file, split, rows, SHA-256
    QString nextSentence;                    ///< "random", "swap", "none"
};

/// BadInput if `manifest` is not a valid manifest.
Result<DataSetDetails> readDataSetDetails(const QByteArray& manifest);

} // namespace trainyard
