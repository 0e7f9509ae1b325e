#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <QString>

#include "engine/base/result.h"
#include "engine/spec/data_set_rules.h"

namespace trainyard {

/// The part of a data set's `manifest.json` that the application uses; `trainyard-prepare` writes it
/// (datasets/shards/manifest.h).
struct DataSetManifest {
    int sequenceLength = 0;              ///< tokens per row, padding included
    int maxPredictions = 0;              ///< masked positions per row, at most; 0 = running text
    std::string objective = "bert";      ///< what rows teach: or "mlm", "gpt", a task
    std::string nextSentence = "random"; ///< of objective "bert": or "swap", "none"
    int vocabularySize = 0;
    QString vocabularySha256;
    std::uint64_t documents = 0;
    std::uint64_t tokens = 0;    ///< of all documents, each counted once
    std::uint64_t rowTokens = 0; ///< of all rows, padding not counted; 0 = the manifest does not say
    std::uint64_t trainingRows = 0;
    std::uint64_t testRows = 0;
    int shards = 0; ///< training and test
    int labels = 0; ///< of a task that has some

    /// Of the tokens of all rows; none where the manifest does not say.
    std::optional<double> paddingShare() const;
    /// The properties that a specification must match.
    DataSetShape shape() const;
};

/// Returns the name of the file that keeps the manifest of a phase's data set with its run: "dataset.json", in
/// the second phase "dataset-2.json", of the second data set of a mix "dataset-mix-2.json". Both count from 0.
std::string keptManifestName(int phase, std::size_t set = 0);

/// BadInput when `text` is not a manifest of a supported version; the message begins with `file`, the hint
/// says what to do.
Result<DataSetManifest> parseDataSetManifest(std::string_view text, const std::string& file);
/// Reads the manifest of the data set in `folder` on this machine. BadInput also when there is none.
Result<DataSetManifest> readDataSetManifest(const QString& folder);
/// Reads that of every data set of a mix, in its order; of dataset.path alone without a mix.
Result<std::vector<DataSetManifest>> readDataSetManifests(const DatasetSpec& dataset);

std::vector<DataSetShape> shapesOf(const std::vector<DataSetManifest>& manifests);

} // namespace trainyard
