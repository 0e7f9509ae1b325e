#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <QString>

namespace trainyard {

struct DataSetManifest;

/// A data set as the desk shows it: where it lies and what its manifest says.
struct DataSetEntry {
    enum class Check { NotVerified, Verifying, Verified, Damaged };

    QString name;
    QString host;             ///< the machine whose disk it is on
    QString folder;           ///< with manifest.json, as that machine sees it
    std::uint64_t tokens = 0; ///< of all documents, each counted once
    std::uint64_t rows = 0;   ///< training and test
    std::uint64_t testRows = 0;
    int shards = 0;
    int sequenceLength = 0;
    int maxPredictions = 0;
    int vocabularySize = 0;
    std::optional<double> paddingShare{}; ///< of the tokens of all rows; none: unknown
    std::string objective = "bert";       ///< what rows teach: or "mlm", "gpt"
    std::string nextSentence = "random";  ///< of objective "bert": or "swap", "none"
    Check check = Check::NotVerified;
    QString problem; ///< while Damaged: what is wrong
};

QString nameOf(DataSetEntry::Check check); ///< with its shape: "✓ verified"

/// Fills in what the manifest says.
DataSetEntry withManifest(DataSetEntry entry, const DataSetManifest& manifest);

} // namespace trainyard
