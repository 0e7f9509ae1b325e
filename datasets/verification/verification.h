#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "datasets/job/cancel_flag.h"
#include "datasets/job/progress.h"
#include "datasets/shards/manifest.h"
#include "datasets/verification/invariant.h"
#include "datasets/verification/row_rules.h"
#include "datasets/verification/sample_row.h"
#include "datasets/verification/token_counts.h"
#include "engine/base/result.h"

namespace trainyard {

struct VerifyOptions {
    std::filesystem::path folder;
    std::filesystem::path vocabulary; ///< needed without a manifest; empty = that of the data set
    int samples = 0;                  ///< rows to decode, spread over the training shards
};

/// Figures of the tokens of all rows; masked ones count as their originals.
struct TextFigures {
    struct Piece {
        std::string text;
        double percent = 0; ///< share of the tokens of text
    };
    std::uint64_t tokens = 0; ///< without [CLS] and [SEP]
    std::uint64_t unknown = 0;
    std::uint64_t piecesUsed = 0;    ///< entries of the vocabulary that occur
    std::vector<Piece> mostFrequent; ///< the most frequent first
};

TextFigures textFigures(const TokenCounts& counts, const Vocabulary& vocabulary);

struct VerificationReport {
    bool hasManifest = false;
    RowRules rules;
    int sequenceLength = 0;
    int maxPredictions = 0;
    std::size_t vocabularySize = 0;
    std::vector<ShardEntry> shards; ///< as found; hashes only where the manifest names them
    std::uint64_t trainingRows = 0;
    std::uint64_t testRows = 0;
    DatasetStatistics statistics; ///< counted from the rows; documents and sentences from the manifest
    TextFigures text;
    std::vector<Violation> violations;
    std::vector<std::string> notes; ///< checks that were not possible, with the reason
    std::vector<SampleRow> samples;

    std::uint64_t rows() const { return trainingRows + testRows; }
    bool ok() const { return violations.empty(); }
};

/// Verifies a data set: one of ours by its manifest, or a folder of shards of another tool. Violations are in
/// the report; an error means that the verification itself was not possible (no such folder, no vocabulary)
/// or was cancelled. Rows are counted as Stage::Verify.
Result<VerificationReport> verifyDataset(const VerifyOptions& options, Progress& progress,
                                         const CancelFlag& cancel);

} // namespace trainyard
