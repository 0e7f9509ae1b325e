#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "datasets/exporters/output_file.h"
#include "datasets/pretraining/documents.h"
#include "datasets/shards/manifest.h"
#include "engine/base/result.h"

namespace trainyard {

/// Tokenized documents as Megatron-LM's preprocess_data.py writes them.
struct MegatronExport {
    /// Content of one sequence, which decides the suffix of the file names.
    enum class Unit {
        Sentence, ///< "_text_sentence", for its BERT dataset, which does its own masking and pairing
        Document, ///< "_text_document", an end-of-document token after each if there is one, for its GPT
                  ///< dataset
    };
    Unit unit = Unit::Sentence;
    std::string name; ///< "wikicorpus_en_training" gives wikicorpus_en_training_text_sentence.bin and .idx
    std::size_t vocabularySize = 0;
    std::int32_t endOfDocument = 0; ///< for Unit::Document; negative = none
};

/// Writes the documents with these ordinals, in this order, into `folder`, which must exist; the names of the
/// returned entries have no folder.
Result<std::vector<ExportEntry>> exportMegatron(const MegatronExport& settings,
                                                const DocumentSource& documents,
                                                const std::vector<std::uint32_t>& ordinals,
                                                const std::filesystem::path& folder,
                                                const PieceDone& pieceDone);

} // namespace trainyard
