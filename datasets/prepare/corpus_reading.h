#pragma once

#include <filesystem>

#include "datasets/job/cancel_flag.h"
#include "datasets/job/progress.h"
#include "datasets/prepare/document_store.h"
#include "datasets/prepare/prepare_options.h"
#include "datasets/prepare/resume_notes.h"
#include "datasets/tokenizer/vocabulary.h"

namespace trainyard {

/// Documents of the corpus, sealed, and what was noted on the way to them.
struct Corpus {
    DocumentStore documents;
    CorpusNote note;
};

/// Turns the corpus into documents in `folder` (or joins the parts that others made of it), or takes up what
/// an earlier process for the same job did there.
Result<Corpus> readCorpus(const PrepareOptions& options, const Vocabulary& vocabulary,
                          const std::filesystem::path& folder, Progress& progress, const CancelFlag& cancel);

} // namespace trainyard
