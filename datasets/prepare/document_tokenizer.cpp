#include "datasets/prepare/document_tokenizer.h"

#include "datasets/corpus/punkt_segmenter.h"
#include "datasets/corpus/rule_segmenter.h"
#include "datasets/input/text_lines.h"

namespace trainyard {

namespace {

/// Calls visit(line, isSentence) for each line that is not blank.
void visitLines(std::string_view text, bool isSentence, const VisitParagraph& visit)
{
    while (const auto line = takeLine(text)) {
        if (!isBlank(*line))
            visit(*line, isSentence);
    }
}

} // namespace

Result<std::unique_ptr<SentenceSegmenter>> openSegmenter(const PrepareOptions& options)
{
    using Segmenter = std::unique_ptr<SentenceSegmenter>;
    if (options.punkt.empty())
        return Segmenter(std::make_unique<RuleSegmenter>());
    TRAINYARD_TRY(PunktParameters parameters, PunktParameters::load(options.punkt));
    return Segmenter(std::make_unique<PunktSegmenter>(std::move(parameters)));
}

MarkupSettings markupSettings(const PrepareOptions& options, const SiteInfo& site)
{
    MarkupSettings settings;
    for (const auto& [number, names] : site.namespaces) {
        for (const std::string& name : names)
            settings.addNamespace(number, name);
    }
    settings.keepHeadings = options.keepHeadings;
    settings.keepLists = options.keepLists;
    return settings;
}

void add(DroppedLines& sum, const DroppedLines& more)
{
    sum.headings += more.headings;
    sum.listItems += more.listItems;
    sum.tableRows += more.tableRows;
    sum.preformatted += more.preformatted;
    sum.fragments += more.fragments;
    sum.appendices += more.appendices;
}

void visitParagraphs(const CorpusDocument& document, const MarkupSettings& markup, DroppedLines& dropped,
                     const VisitParagraph& visit)
{
    if (document.kind != CorpusDocument::Kind::Markup)
        return visitLines(document.text, document.kind == CorpusDocument::Kind::Sentences, visit);
    const CleanText text = cleanMarkup(document.text, markup);
    add(dropped, text.dropped);
    for (const Paragraph& paragraph : text.paragraphs)
        visit(paragraph.text, paragraph.heading);
}

std::string runningText(const CorpusDocument& document, const MarkupSettings& markup, DroppedLines& dropped)
{
    std::string text;
    if (document.kind != CorpusDocument::Kind::Markup)
        text = document.text;
    else
        visitParagraphs(document, markup, dropped, [&](std::string_view paragraph, bool) {
            text.append(text.empty() ? "" : "\n").append(paragraph);
        });
    text.erase(text.find_last_not_of('\n') + 1);
    return text;
}

TokenizedDocument DocumentTokenizer::tokenize(const CorpusDocument& document, TokenizingCounts& counts)
{
    TokenizedDocument out;
    out.pageId = document.id;
    if (m_tokenizer.bytes)
        tokenizeWhole(document, counts, out);
    else
        tokenizeSentences(document, counts, out);
    return out;
}

void DocumentTokenizer::tokenizeSentences(const CorpusDocument& document, TokenizingCounts& counts,
                                          TokenizedDocument& out)
{
    const auto addSentence = [&](std::string_view sentence) {
        const std::size_t before = out.tokens.size();
        m_encoder.encode(sentence, out.tokens);
        if (out.tokens.size() == before) {
            ++counts.emptySentences;
            return;
        }
        out.sentenceEnds.push_back(static_cast<std::uint32_t>(out.tokens.size()));
        out.textBytes += sentence.size() + 1;
    };
    visitParagraphs(document, m_markup, counts.dropped, [&](std::string_view paragraph, bool isSentence) {
        if (isSentence)
            return addSentence(paragraph);
        for (const std::string_view sentence : m_segmenter.split(paragraph))
            addSentence(sentence);
    });
}

void DocumentTokenizer::tokenizeWhole(const CorpusDocument& document, TokenizingCounts& counts,
                                      TokenizedDocument& out)
{
    const std::string text = runningText(document, m_markup, counts.dropped);
    const std::vector<std::size_t> ends =
        sentenceEnds(text, document.kind == CorpusDocument::Kind::Sentences);
    if (ends.empty())
        return;
    m_encoder.encode(text, out.tokens);
    endSentences(ends, text.size(), counts, out);
    out.textBytes = text.size() + 1;
}

/// Offsets in bytes.
std::vector<std::size_t> DocumentTokenizer::sentenceEnds(const std::string& text, bool areSentences) const
{
    std::vector<std::size_t> ends;
    const auto endAt = [&](std::string_view part) {
        ends.push_back(static_cast<std::size_t>(part.data() + part.size() - text.data()));
    };
    visitLines(text, areSentences, [&](std::string_view line, bool isSentence) {
        if (isSentence)
            return endAt(line);
        for (const std::string_view sentence : m_segmenter.split(line))
            endAt(sentence);
    });
    return ends;
}

/// A normalizer changes the number of bytes; the ends then move in proportion.
void DocumentTokenizer::endSentences(const std::vector<std::size_t>& ends, std::size_t bytes,
                                     TokenizingCounts& counts, TokenizedDocument& out) const
{
    std::size_t total = 0;
    for (const std::int32_t token : out.tokens)
        total += m_tokenizer.bytes->bytesOf(token).size();
    std::size_t at = 0, next = 0;
    for (const std::size_t end : ends) {
        const std::size_t before = next;
        for (; next < out.tokens.size() && at * bytes < end * total; ++next)
            at += m_tokenizer.bytes->bytesOf(out.tokens[next]).size();
        if (next > before)
            out.sentenceEnds.push_back(static_cast<std::uint32_t>(next));
        else
            ++counts.emptySentences;
    }
    if (!out.sentenceEnds.empty()) // white space behind the last one
        out.sentenceEnds.back() = static_cast<std::uint32_t>(out.tokens.size());
}

} // namespace trainyard
