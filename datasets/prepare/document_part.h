#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "datasets/job/cancel_flag.h"
#include "datasets/job/progress.h"
#include "datasets/options/prepare_options.h"
#include "datasets/prepare/resume_notes.h"
#include "datasets/tokenizer_json/row_tokenizer.h"

namespace trainyard {

/// `documents.json` of a folder with the tokenized documents of some files of a corpus: made by one host from
/// its part, for another one that joins the parts. The folder is a DocumentStore; this file has its settings
/// and hashes.
struct DocumentPart {
    static constexpr const char* kFileName = "documents.json";

    struct File {
        std::string name;
        std::uint64_t bytes = 0;
        std::string sha256;
    };
    std::map<std::string, std::string> settings; ///< the documents depend on them; equal in all parts
    std::vector<std::string> dumps;              ///< names of the files, without folders
    std::uint64_t documentsRead = 0;             ///< in the files, including skipped ones
    CorpusNote corpus;
    std::vector<File> files;

    /// BadInput names the file and the problem.
    static Result<DocumentPart> load(const std::filesystem::path& folder);
    std::string toJson() const;
};

/// Reads options.dumps into the new folder options.out, which appears when it is complete.
Result<DocumentPart> prepareDocuments(const PrepareOptions& options, Progress& progress,
                                      const CancelFlag& cancel);

/// Loads the parts in the order of options.parts. BadInput if one is damaged, was made with other settings
/// than `options`, or occurs twice.
Result<std::vector<DocumentPart>> loadParts(const PrepareOptions& options, const RowTokenizer& tokenizer);

/// Appends the documents of all parts to `documents`, with the ids that reading all files in a row would
/// give. Verifies the hash of every file.
Result<CorpusNote> joinParts(const PrepareOptions& options, const RowTokenizer& tokenizer, Progress& progress,
                             const CancelFlag& cancel, DocumentStore& documents);

} // namespace trainyard
