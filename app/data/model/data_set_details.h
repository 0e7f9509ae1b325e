#pragma once

#include <cstdint>
#include <vector>

#include <QByteArray>
#include <QString>

#include "app/base/text_table_model.h"
#include "engine/base/result.h"

namespace trainyard {

/// What the manifest of a data set tells a person.
struct DataSetDetails {
    QByteArray manifest; ///< the text itself
    int sequenceLength = 0;
    std::vector<std::uint64_t> rowsByLength; ///< per sixteenth of the sequence length, shortest first
    TextTable statistics;                    ///< what, value, meaning
    TextTable settings;                      ///< setting, value
    TextTable counters;                      ///< what, how many, meaning: what was found and left out
    TextTable shards;                        ///< file, for, rows, SHA-256
    QString nextSentence;                    ///< "random", "swap", "none"
};

/// BadInput when `manifest` is not the text of a manifest.
Result<DataSetDetails> readDataSetDetails(const QByteArray& manifest);

} // namespace trainyard
