#include "datasets/corpus/paragraphs.h"

#include <algorithm>
#include <optional>

#include "datasets/corpus/entities.h"
#include "datasets/corpus/text_scan.h"

namespace trainyard {

namespace {

using std::string_view;

constexpr string_view kAppendices[]{"references",
                                    "external links",
                                    "see also",
                                    "further reading",
                                    "bibliography",
                                    "notes",
                                    "footnotes",
                                    "sources",
                                    "citations",
                                    "notes and references",
                                    "references and notes",
                                    "gallery",
                                    "general references",
                                    "works cited"};

constexpr std::size_t kFewestFragmentWords = 8;

/// The title of a heading line and its level ("== A ==" is 2).
struct Heading {
    std::size_t level;
    std::string title;
};

std::optional<Heading> parseHeading(string_view line)
{
    const auto level = line.find_first_not_of('=');
    if (level == 0 || level == string_view::npos || !line.ends_with('='))
        return std::nullopt;
    const auto end = line.find_last_not_of('=');
    return Heading{level, asciiLower(trimmed(line.substr(level, end + 1 - level)))};
}

bool isSentenceEnd(string_view text)
{
    static constexpr string_view ends[]{".", "!", "?", "…", "。", "।"};
    return std::any_of(std::begin(ends), std::end(ends),
                       [&](string_view end) { return text.find(end) != string_view::npos; });
}

bool isFragment(string_view paragraph)
{
    const auto words = static_cast<std::size_t>(std::count(paragraph.begin(), paragraph.end(), ' ')) + 1;
    return !isSentenceEnd(paragraph) && words < kFewestFragmentWords;
}

bool isMagicWord(string_view line)
{
    return line.starts_with("__") && line.ends_with("__") && line.find(' ') == string_view::npos;
}

class ParagraphJoiner {
public:
    explicit ParagraphJoiner(DroppedLines& dropped) : m_dropped(dropped) {}

    void add(string_view line)
    {
        if (const auto heading = parseHeading(line))
            startSection(*heading);
        else if (line.empty() || line.starts_with("----") || isMagicWord(line))
            endParagraph();
        else if (m_appendixLevel > 0)
            ++m_dropped.appendices;
        else if (string_view("*#:;").find(line.front()) != string_view::npos)
            drop(m_dropped.listItems);
        else if (line.front() == '|' || line.front() == '!' || line.starts_with("{|"))
            drop(m_dropped.tableRows);
        else
            m_paragraph.append(m_paragraph.empty() ? "" : " ").append(line);
    }

    std::vector<std::string> finish()
    {
        endParagraph();
        return std::move(m_paragraphs);
    }

private:
    void startSection(const Heading& heading)
    {
        endParagraph();
        ++m_dropped.headings;
        if (m_appendixLevel > 0 && heading.level > m_appendixLevel)
            return; // a part of the appendix
        const bool appendix = contains(kAppendices, heading.title);
        m_appendixLevel = appendix ? heading.level : 0;
    }

    void drop(std::uint64_t& counter)
    {
        endParagraph();
        ++counter;
    }

    void endParagraph()
    {
        // Entities only now: what they stand for is text, never markup.
        std::string paragraph = tidy(decodeEntities(m_paragraph));
        m_paragraph.clear();
        if (paragraph.empty())
            return;
        if (isFragment(paragraph))
            ++m_dropped.fragments;
        else
            m_paragraphs.push_back(std::move(paragraph));
    }

    DroppedLines& m_dropped;
    std::vector<std::string> m_paragraphs;
    std::string m_paragraph;
    std::size_t m_appendixLevel = 0; ///< 0 = not in an appendix
};

} // namespace

std::vector<std::string> joinParagraphs(string_view text, DroppedLines& dropped)
{
    ParagraphJoiner joiner(dropped);
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        joiner.add(trimmed(text.substr(0, end)));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return joiner.finish();
}

} // namespace trainyard
