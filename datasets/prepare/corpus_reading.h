#pragma once

#include <filesystem>

#include "datasets/job/cancel_flag.h"
#include "datasets/job/progress.h"
#include "datasets/options/prepare_options.h"
#include "datasets/prepare/document_store.h"
#include "datasets/prepare/resume_notes.h"
#include "datasets/tokenizer_json/row_tokenizer.h"

namespace trainyard {

/// The sealed documents of the corpus and the final note.
struct Corpus {
    DocumentStore documents;
    CorpusNote note;
};

/// Turns the corpus into documents in `folder` (or joins parts made by other processes), or resumes the work
/// of an earlier process for the same job.
Result<Corpus> readCorpus(const PrepareOptions& options, const RowTokenizer& tokenizer,
                          const std::filesystem::path& folder, Progress& progress, const CancelFlag& cancel);

} // namespace trainyard
