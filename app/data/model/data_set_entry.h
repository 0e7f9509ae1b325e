#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <QString>

#include "engine/spec/data_set_rules.h"

namespace trainyard {

struct DataSetManifest;

/// A data set in the list: its location and the main values of its manifest.
struct DataSetEntry {
    enum class Check { NotVerified, Verifying, Verified, Damaged };

    QString name;
    QString host;             ///< host that stores it
    QString folder;           ///< contains manifest.json; a path on that host
    std::uint64_t tokens = 0; ///< of all documents, each counted once
    std::uint64_t rows = 0;   ///< training and test
    std::uint64_t testRows = 0;
    int shards = 0;
    int sequenceLength = 0;
    int maxPredictions = 0; ///< 0 = rows without masks
    int vocabularySize = 0;
    std::optional<double> paddingShare{}; ///< of the tokens of all rows; nullopt = unknown
    std::string objective = "bert";       ///< or "mlm", "gpt", a task: "classify" ...
    int labels = 0;                       ///< of a task that has some
    std::uint64_t documents = 0;          ///< training and test; of a task its examples
    std::string nextSentence = "random";  ///< of objective "bert": or "swap", "none"
    std::string vocabularySha256{};       ///< empty = unknown, as lists of older versions leave it
    Check check = Check::NotVerified;
    QString problem; ///< while Damaged

    /// Whether the values of its manifest are known.
    bool hasManifest() const { return sequenceLength > 0; }
    /// The properties that a specification must match, as DataSetManifest::shape(). Requires hasManifest().
    DataSetShape shape() const;
};

QString nameOf(DataSetEntry::Check check); ///< with its symbol: "✓ verified"

/// What the rows of a task are labelled with: "3 classes", "numbers" ...; empty for pre-training.
QString taskTextOf(const DataSetEntry& entry);

/// Returns `entry` with the values of `manifest`.
DataSetEntry withManifest(DataSetEntry entry, const DataSetManifest& manifest);

} // namespace trainyard
