#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trainyard {

/// Properties of every valid data set. The numbers are those of datasets/README.md.
enum class Invariant : std::uint8_t {
    Columns = 1, ///< the columns of the objective, their types and widths, equal rows; the file is readable
    Padding = 2, ///< input_mask is 1 on the first tokens and 0 after; all else is 0 there; ids in range
    SpecialTokens = 3, ///< [CLS] A [SEP] B [SEP] and no other special tokens, both sides not empty
    Segments = 4,      ///< segment_ids is 1 on "B [SEP]" alone
    Predictions = 5,   ///< positions ascend, none is a special token, their number matches the masked share
    MaskShares = 6,    ///< 80 % [MASK], 10 % kept, 10 % random
    RandomNext = 7,    ///< share of rows with label 1
    NextSentences = 8, ///< B matches the label
    RowLengths = 9,    ///< some rows are full and some are not
    Documents = 10,    ///< every document has rows, on one side of the split only
    ShardSizes = 11,   ///< training shards differ by at most one row; rows match the manifest
    Hashes = 12,       ///< shards and vocabulary match the manifest; no shard is a copy of another
    Pieces = 13,       ///< words tokenized again give the same ids
    Uniformity = 14,   ///< random replacements and masked positions are spread evenly
    Statistics = 15,   ///< the manifest's statistics match the rows
};

std::string_view nameOf(Invariant invariant);

/// A violated invariant: where and how.
struct Violation {
    Invariant invariant{};
    std::string file;                 ///< empty = the data set as a whole
    std::optional<std::uint64_t> row; ///< 0-based within the file
    std::string problem;

    /// "wikicorpus_en_training_0.hdf5, row 17: segments (invariant 4): ..."
    std::string text() const;
};

} // namespace trainyard
