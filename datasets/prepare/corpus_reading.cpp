#include "datasets/prepare/corpus_reading.h"

#include "datasets/prepare/corpus_stages.h"
#include "datasets/prepare/document_part.h"
#include "datasets/prepare/output_place.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

/// Resumes the committed store of an earlier process, or creates an empty one.
Result<Corpus> openCorpus(const fs::path& folder, const fs::path& noteFile, std::size_t vocabularySize)
{
    TRAINYARD_TRY(auto note, CorpusNote::load(noteFile));
    if (note) {
        TRAINYARD_TRY(DocumentStore documents,
                      DocumentStore::resume(folder, vocabularySize, note->documents));
        return Corpus{std::move(documents), std::move(*note)};
    }
    TRAINYARD_TRY_STATUS(makeEmptyFolder(folder));
    TRAINYARD_TRY(DocumentStore documents, DocumentStore::create(folder, vocabularySize));
    return Corpus{std::move(documents), {}};
}

} // namespace

Result<Corpus> readCorpus(const PrepareOptions& options, const RowTokenizer& tokenizer,
                          const fs::path& folder, Progress& progress, const CancelFlag& cancel)
{
    const fs::path noteFile = folder / "note.json";
    TRAINYARD_TRY(Corpus corpus, openCorpus(folder, noteFile, tokenizer.vocabulary.size()));
    CorpusNote& note = corpus.note;
    for (const auto& [counter, amount] : note.counters)
        progress.count(Stage::Read, counter, amount);
    const auto save = [&](const CorpusPosition& reached) -> Status {
        note.reached = reached;
        note.counters = progress.counters();
        TRAINYARD_TRY(note.documents, corpus.documents.commit());
        return note.save(noteFile);
    };
    if (!note.complete && !options.parts.empty()) {
        TRAINYARD_TRY(note, joinParts(options, tokenizer, progress, cancel, corpus.documents));
        TRAINYARD_TRY_STATUS(note.save(noteFile));
    } else if (!note.complete) {
        TRAINYARD_TRY(note.format, tokenizeDumps(options, tokenizer, note.reached, save, progress, cancel,
                                                 corpus.documents));
        note.complete = true;
        TRAINYARD_TRY_STATUS(save(note.reached));
    }
    TRAINYARD_TRY_STATUS(corpus.documents.seal());
    return corpus;
}

} // namespace trainyard
