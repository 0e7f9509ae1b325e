#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "datasets/exporters/output_file.h"
#include "datasets/pretraining/token_span.h"
#include "engine/base/result.h"

namespace trainyard {

/// Writes `<prefix>.bin` and `<prefix>.idx`, the pair that Megatron-LM's IndexedDataset maps into memory
/// (megatron/core/datasets/indexed_dataset.py), all little-endian:
///     .bin   the ids of all sequences one after another: uint16 when the vocabulary has fewer than 65,500
///            entries, else int32
///     .idx   "MMIDIDX\0\0", u64 version 1, u8 type of the ids (8 = uint16, 4 = int32), u64 sequences S,
///            u64 documents D + 1; then S times i32 length, S times i64 offset in the .bin in bytes,
///            D + 1 times i64 number of the first sequence of a document (the last one is S)
/// Memory does not grow with the corpus: the parts of the index grow in files beside it until finish() joins
/// them. One thread at a time.
class IndexedDatasetWriter {
public:
    static Result<IndexedDatasetWriter> create(const std::filesystem::path& prefix,
                                               std::size_t vocabularySize);

    /// Appends to the open sequence; there always is one.
    Status append(TokenSpan ids);
    Status endSequence();
    Status endDocument();

    struct Digests {
        FileDigest bin;
        FileDigest idx;
    };
    /// Requires that sequences and documents were ended. Removes the temporary files.
    Result<Digests> finish();

private:
    struct Parts {
        OutputFile bin;
        OutputFile lengths;   ///< i32 of each sequence
        OutputFile documents; ///< i64, as in the index without its leading 0
    };
    IndexedDatasetWriter(std::filesystem::path prefix, bool narrow, Parts parts);
    Result<FileDigest> writeIndex() const;
    Status appendLengths(OutputFile& index) const;
    Status appendOffsets(OutputFile& index) const;
    Status appendDocuments(OutputFile& index) const;

    std::filesystem::path m_prefix;
    bool m_narrow;
    Parts m_parts;
    std::vector<std::int32_t> m_ids; ///< scratch of append()
    std::vector<std::uint16_t> m_narrowIds;
    std::int32_t m_openLength = 0;
    std::uint64_t m_sequences = 0;
    std::uint64_t m_documents = 0;
};

} // namespace trainyard
