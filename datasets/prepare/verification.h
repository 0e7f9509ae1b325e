#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "datasets/prepare/invariant.h"
#include "datasets/prepare/sample_row.h"
#include "datasets/shards/manifest.h"
#include "engine/base/result.h"

namespace trainyard {

struct VerifyOptions {
    std::filesystem::path folder;
    std::filesystem::path vocabulary; ///< for folders without a manifest; empty = the data set's own
    int samples = 0;                  ///< rows to decode, spread over the training shards
};

struct VerificationReport {
    bool hasManifest = false;
    int sequenceLength = 0;
    int maxPredictions = 0;
    std::size_t vocabularySize = 0;
    std::vector<ShardEntry> shards; ///< as found; hashes only where the manifest names them
    std::uint64_t trainingRows = 0;
    std::uint64_t testRows = 0;
    DatasetStatistics statistics; ///< counted from the rows; documents and sentences from the manifest
    std::vector<Violation> violations;
    std::vector<std::string> notes; ///< what could not be checked and why
    std::vector<SampleRow> samples;

    bool ok() const { return violations.empty(); }
};

/// Checks a data set: one of ours by its manifest, or a folder of shards that another tool wrote. Violations
/// are in the report; an error means that checking itself was not possible (no such folder, no vocabulary).
Result<VerificationReport> verifyDataset(const VerifyOptions& options);

} // namespace trainyard
