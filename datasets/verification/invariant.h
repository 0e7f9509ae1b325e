#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trainyard {

/// What every data set must keep. The numbers are those of datasets/README.md.
enum class Invariant : std::uint8_t {
    Columns = 1, ///< the columns of the objective, their types, equal rows, widths; the file is readable
    Padding = 2, ///< input_mask is 1 on the first tokens and 0 after; all else is 0 there; ids in range
    SpecialTokens = 3, ///< [CLS] A [SEP] B [SEP] and no other special tokens, both sides not empty
    Segments = 4,      ///< segment_ids is 1 on "B [SEP]" alone
    Predictions = 5,   ///< positions ascend, hit no special token, are as many as the masked share asks for
    MaskShares = 6,    ///< 80 % [MASK], 10 % kept, 10 % random
    RandomNext = 7,    ///< share of rows with label 1
    NextSentences = 8, ///< B is what the label says
    RowLengths = 9,    ///< some rows are full and some are not
    Documents = 10,    ///< every document is there, and on one side of the split alone
    ShardSizes = 11,   ///< training shards differ by at most one row; rows as in the manifest
    Hashes = 12,       ///< bytes of shards and vocabulary as in the manifest; no shard is another's copy
    Pieces = 13,       ///< words cut into pieces again give the same ids
    Uniformity = 14,   ///< random replacements and masked positions are spread evenly
    Statistics = 15,   ///< the manifest's statistics are those of the rows
};

std::string_view nameOf(Invariant invariant);

/// Where an invariant is broken and how.
struct Violation {
    Invariant invariant{};
    std::string file;                 ///< empty = the data set as a whole
    std::optional<std::uint64_t> row; ///< 0-based within the file
    std::string problem;

    /// "wikicorpus_en_training_0.hdf5, row 17: segments (invariant 4): ..."
    std::string text() const;
};

} // namespace trainyard
