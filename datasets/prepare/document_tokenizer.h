#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/corpus/markup_cleaner.h"
#include "datasets/corpus/sentence_segmenter.h"
#include "datasets/input/corpus_piece.h"
#include "datasets/options/prepare_options.h"
#include "datasets/prepare/document_store.h"
#include "datasets/tokenizer_json/row_tokenizer.h"

namespace trainyard {

/// BadInput if the folder of --punkt cannot be used.
Result<std::unique_ptr<SentenceSegmenter>> openSegmenter(const PrepareOptions& options);

MarkupSettings markupSettings(const PrepareOptions& options, const SiteInfo& site);

void add(DroppedLines& sum, const DroppedLines& more);

/// Calls visit(paragraph, isSentence) for each paragraph of the document that is not blank; some are one
/// sentence.
using VisitParagraph = std::function<void(std::string_view paragraph, bool isSentence)>;
void visitParagraphs(const CorpusDocument& document, const MarkupSettings& markup, DroppedLines& dropped,
                     const VisitParagraph& visit);

/// The text of the document with its white space: as it is, without line feeds at its end; of markup the
/// paragraphs, with a line feed between them.
std::string runningText(const CorpusDocument& document, const MarkupSettings& markup, DroppedLines& dropped);

/// Counts what is left out.
struct TokenizingCounts {
    DroppedLines dropped;
    std::uint64_t emptySentences = 0; ///< with only characters that the tokenizer removes
};

/// Cleans and splits documents and turns their sentences into tokens. One per thread and piece.
class DocumentTokenizer {
public:
    /// All references must outlive this.
    DocumentTokenizer(const RowTokenizer& tokenizer, TextEncoder& encoder, const MarkupSettings& markup,
                      const SentenceSegmenter& segmenter)
        : m_tokenizer(tokenizer), m_encoder(encoder), m_markup(markup), m_segmenter(segmenter)
    {
    }

    /// Without a sentence if there is no text. For byte-level BPE the whole text is encoded at once, so that
    /// its tokens are those of runningText(); a sentence then has the white space before it, and ends behind
    /// the token with its last byte.
    TokenizedDocument tokenize(const CorpusDocument& document, TokenizingCounts& counts);

private:
    void tokenizeSentences(const CorpusDocument& document, TokenizingCounts& counts, TokenizedDocument& out);
    void tokenizeWhole(const CorpusDocument& document, TokenizingCounts& counts, TokenizedDocument& out);
    std::vector<std::size_t> sentenceEnds(const std::string& text, bool areSentences) const;
    void endSentences(const std::vector<std::size_t>& ends, std::size_t bytes, TokenizingCounts& counts,
                      TokenizedDocument& out) const;

    const RowTokenizer& m_tokenizer;
    TextEncoder& m_encoder;
    const MarkupSettings& m_markup;
    const SentenceSegmenter& m_segmenter;
};

} // namespace trainyard
