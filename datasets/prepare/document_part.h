#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "datasets/job/cancel_flag.h"
#include "datasets/job/progress.h"
#include "datasets/prepare/prepare_options.h"
#include "datasets/prepare/resume_notes.h"
#include "datasets/tokenizer/vocabulary.h"

namespace trainyard {

/// `documents.json` of a folder with the tokenized documents of some files of a corpus: what one host makes
/// of its part, for another one that joins the parts. The folder is a DocumentStore; this file says how it
/// was made and what it must hash to.
struct DocumentPart {
    static constexpr const char* kFileName = "documents.json";

    struct File {
        std::string name;
        std::uint64_t bytes = 0;
        std::string sha256;
    };
    std::map<std::string, std::string> settings; ///< on which the documents depend; equal in all parts
    std::vector<std::string> dumps;              ///< names of the files, without folders
    std::uint64_t documentsRead = 0;             ///< in the files, also those that became nothing
    CorpusNote corpus;
    std::vector<File> files;

    /// BadInput names the file and what is wrong in it.
    static Result<DocumentPart> load(const std::filesystem::path& folder);
    std::string toJson() const;
};

/// Reads options.dumps into the new folder options.out, which appears when it is complete.
Result<DocumentPart> prepareDocuments(const PrepareOptions& options, Progress& progress,
                                      const CancelFlag& cancel);

/// What the parts say, in the order of options.parts. BadInput when one is damaged, was made with other
/// settings than `options` have, or is there twice.
Result<std::vector<DocumentPart>> loadParts(const PrepareOptions& options, const Vocabulary& vocabulary);

/// Appends the documents of all parts to `documents`: the same ones, with the same ids, as if all files had
/// been read in a row. Compares every file with its hash.
Result<CorpusNote> joinParts(const PrepareOptions& options, const Vocabulary& vocabulary, Progress& progress,
                             const CancelFlag& cancel, DocumentStore& documents);

} // namespace trainyard
