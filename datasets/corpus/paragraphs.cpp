#include "datasets/corpus/paragraphs.h"

#include <algorithm>
#include <optional>

#include "datasets/corpus/entities.h"
#include "datasets/corpus/letters.h"
#include "datasets/corpus/quotes.h"
#include "datasets/corpus/residue.h"
#include "datasets/corpus/text_scan.h"

namespace trainyard {

namespace {

using std::string_view;

constexpr std::size_t kMinFragmentWords = 8;

/// The title of a heading line and its level ("== A ==" is 2).
struct Heading {
    std::size_t level;
    string_view title;
};

std::optional<Heading> parseHeading(string_view line)
{
    constexpr std::size_t kMaxOpenHeading = 100; // "== A" whose end is missing
    if (line.front() != '=')
        return std::nullopt;
    const auto level = line.find_first_not_of('=');
    if (level == string_view::npos)
        return Heading{line.size(), {}};
    if (!line.ends_with('=') && (level < 2 || line.size() > kMaxOpenHeading))
        return std::nullopt;
    const auto end = line.find_last_not_of('=');
    return Heading{level, trimmed(line.substr(level, end + 1 - level))};
}

constexpr string_view kSentenceEnds[]{".", "!", "?", "…", "。", "！", "？", "．", "｡", "।",
                                      "॥", "؟", "۔", "։", "።",  "።",  "།",  "។",  "။"};

bool holdsSentenceEnd(string_view text)
{
    return std::any_of(std::begin(kSentenceEnds), std::end(kSentenceEnds),
                       [&](string_view end) { return text.find(end) != string_view::npos; });
}

bool endsSentence(string_view text)
{
    static constexpr string_view closers[]{"\"", ")", "]", "”", "’", "»", "」", "』", "）", "“", "'"};
    for (bool again = true; again;) {
        again = false;
        for (const string_view closer : closers) {
            if (text.ends_with(closer)) {
                text.remove_suffix(closer.size());
                again = true;
            }
        }
    }
    return std::any_of(std::begin(kSentenceEnds), std::end(kSentenceEnds),
                       [&](string_view end) { return text.ends_with(end); });
}

/// Blanks and one; where words are not parted by blanks, as in Thai or Chinese, six characters count as one.
std::size_t wordCount(string_view text)
{
    constexpr std::size_t kCharactersPerWord = 6;
    std::size_t blanks = 0;
    std::size_t wide = 0; // characters of three bytes in UTF-8
    for (const char c : text) {
        blanks += c == ' ';
        wide += (static_cast<unsigned char>(c) & 0xF0) == 0xE0;
    }
    return blanks + 1 + wide / kCharactersPerWord;
}

bool isFragment(string_view paragraph)
{
    return wordCount(paragraph) < kMinFragmentWords && !holdsSentenceEnd(paragraph);
}

/// Of a line with a blank in front: code and drawings are; text that somebody indented, or in front of which
/// a template or a picture was, is not.
bool isPreformatted(string_view line)
{
    const bool text = endsSentence(line) || line.find(". ") != string_view::npos;
    return !text && !(line.ends_with(':') && wordCount(line) >= kMinFragmentWords);
}

bool holdsLetter(string_view text)
{
    return std::any_of(text.begin(), text.end(),
                       [](unsigned char c) { return c >= 0x80 || std::isalnum(c); });
}

/// "; term : definition" without its signs; the colon stays between the two.
std::string itemText(string_view line)
{
    static constexpr ByteSet signs("*#:; \t");
    const bool term = line.substr(0, signs.findOther(line, 0)).find(';') != string_view::npos;
    const string_view text = line.substr(signs.findOther(line, 0));
    const auto colon = term ? text.find(" : ") : string_view::npos;
    if (colon == string_view::npos)
        return std::string(text);
    return std::string(text.substr(0, colon)) + ": " + std::string(text.substr(colon + 3));
}

class ParagraphJoiner {
public:
    ParagraphJoiner(const MarkupSettings& settings, DroppedLines& dropped)
        : m_settings(settings), m_dropped(dropped)
    {
    }

    void add(string_view raw)
    {
        const string_view line = trimmed(raw);
        if (line.empty() || line.starts_with("----")) {
            endParagraph();
            return;
        }
        if (const auto heading = parseHeading(line)) {
            startSection(*heading);
            return;
        }
        if (m_appendixLevel > 0)
            ++m_dropped.appendices;
        else if (string_view("*#:;").find(line.front()) != string_view::npos)
            addItem(line);
        else if (line.front() == '|' || line.front() == '!' || line.starts_with("{|"))
            drop(m_dropped.tableRows);
        else if (raw.front() == ' ' && isPreformatted(line))
            drop(m_dropped.preformatted);
        else
            append(line);
    }

    std::vector<Paragraph> finish()
    {
        endParagraph();
        return std::move(m_paragraphs);
    }

private:
    void startSection(const Heading& heading)
    {
        endParagraph();
        const bool partOfAppendix = m_appendixLevel > 0 && heading.level > m_appendixLevel;
        if (!partOfAppendix)
            m_appendixLevel = isAppendixTitle(withoutQuoteMarkup(heading.title)) ? heading.level : 0;
        if (m_appendixLevel > 0 || !m_settings.keepHeadings)
            ++m_dropped.headings;
        else
            keep(plain(heading.title), true);
    }

    void addItem(string_view line)
    {
        if (!m_settings.keepLists)
            return drop(m_dropped.listItems);
        endParagraph();
        keep(plain(itemText(line)), false);
    }

    void drop(std::uint64_t& counter)
    {
        endParagraph();
        ++counter;
    }

    void append(string_view line)
    {
        if (!m_paragraph.empty())
            m_paragraph += ' ';
        if (holdsQuoteMarkup(line))
            m_paragraph += withoutQuoteMarkup(line);
        else
            m_paragraph += line;
    }

    void endParagraph()
    {
        if (m_paragraph.empty())
            return;
        std::string paragraph = plain(m_paragraph);
        m_paragraph.clear();
        if (isFragment(paragraph))
            m_dropped.fragments += !paragraph.empty();
        else
            keep(std::move(paragraph), false);
    }

    static bool holdsQuoteMarkup(string_view text) { return text.find("''") != string_view::npos; }

    /// Decodes entities last, because they stand for text, never for markup. Removes apostrophes protected by
    /// nowiki too.
    static std::string plain(string_view text)
    {
        std::string clean = withoutResidue(text);
        if (holdsQuoteMarkup(clean))
            clean = withoutResidue(withoutQuoteMarkup(clean));
        const std::string decoded = decodeEntities(clean);
        return tidy(holdsQuoteMarkup(decoded) ? withoutQuoteMarkup(decoded) : decoded);
    }

    void keep(std::string text, bool heading)
    {
        if (holdsLetter(text))
            m_paragraphs.push_back({std::move(text), heading});
    }

    const MarkupSettings& m_settings;
    DroppedLines& m_dropped;
    std::vector<Paragraph> m_paragraphs;
    std::string m_paragraph;
    std::size_t m_appendixLevel = 0; ///< 0 = not in an appendix
};

} // namespace

std::vector<Paragraph> joinParagraphs(string_view text, const MarkupSettings& settings, DroppedLines& dropped)
{
    ParagraphJoiner joiner(settings, dropped);
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        joiner.add(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return joiner.finish();
}

} // namespace trainyard
