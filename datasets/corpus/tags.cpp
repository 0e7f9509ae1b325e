#include "datasets/corpus/tags.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <unordered_map>
#include <vector>

#include "datasets/corpus/entities.h"
#include "datasets/corpus/superscript.h"
#include "datasets/corpus/tag_kinds.h"
#include "datasets/corpus/text_scan.h"

namespace trainyard {

namespace {

using std::string_view;

constexpr std::size_t kMaxTag = 2000; // bytes between "<" and ">"
constexpr std::size_t kMaxTagName = 16;
constexpr std::size_t kMaxFootnote = 100'000; // a missing "</ref>" must not cost the article
constexpr std::size_t kMaxSuperscript = 24;

bool isLetter(char c)
{
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
}
bool isNameCharacter(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

struct Tag {
    TagKind kind = TagKind::Unknown;
    string_view name; ///< as it is written
    bool closing = false;
    bool selfClosing = false;
    bool bare = false;    ///< without attributes
    std::size_t size = 0; ///< from "<" to ">"
};

TagKind kindOfName(string_view name)
{
    return name.size() > kMaxTagName ? TagKind::Unknown : tagKind(asciiLower(name));
}

/// The start of a tag at text[0] == '<': "<name" or "</name"; its end is unknown yet.
std::optional<Tag> parseTagName(string_view text)
{
    Tag tag;
    std::size_t at = 1;
    if (text.substr(at, 1) == "/") {
        tag.closing = true;
        ++at;
    }
    const std::size_t nameBegin = at;
    while (at < text.size() && isNameCharacter(text[at]))
        ++at;
    if (at == nameBegin || !isLetter(text[nameBegin]))
        return std::nullopt;
    tag.name = text.substr(nameBegin, at - nameBegin);
    tag.size = at;
    return tag;
}

/// The tag that starts at text[0] == '<', if one does.
std::optional<Tag> parseTag(string_view text)
{
    auto tag = parseTagName(text);
    if (!tag || string_view(" \t\n/>\\").find(text.substr(tag->size, 1)) == string_view::npos)
        return std::nullopt; // "c<d, then 3 > 2"
    const auto end = text.substr(0, kMaxTag).find_first_of("<>", tag->size);
    if (end == string_view::npos || text[end] != '>')
        return std::nullopt;
    tag->kind = kindOfName(tag->name);
    tag->selfClosing = text[end - 1] == '/';
    tag->bare = trimmed(text.substr(tag->size, end - tag->size)).empty();
    tag->size = end + 1;
    return tag;
}

bool goesWithContent(TagKind kind)
{
    return kind == TagKind::Dropped || kind == TagKind::Footnote || kind == TagKind::NoWiki ||
           kind == TagKind::Code;
}

/// The content of an element, after its opening tag.
struct Content {
    std::size_t end;   ///< of the content
    std::size_t after; ///< behind the closing tag
};

/// Calls visit(position, tag) for every tag of the text.
template <typename Visit>
void forEachTag(string_view text, Visit visit)
{
    for (auto at = text.find('<'); at != string_view::npos; at = text.find('<', at + 1)) {
        if (const auto tag = parseTag(text.substr(at)))
            visit(at, *tag);
    }
}

/// Where the elements end that go with their content. Found in one pass, because a vandal's page may open a
/// hundred thousand that are never closed.
class ElementEnds {
public:
    explicit ElementEnds(string_view text)
    {
        std::unordered_map<std::string, std::vector<std::size_t>> begins; // of open elements' content
        forEachTag(text, [&](std::size_t at, const Tag& tag) {
            const bool closesNothing = tag.closing && !tag.bare; // "</ref name=x>"
            if (tag.selfClosing || closesNothing || !goesWithContent(tag.kind))
                return;
            auto& open = begins[asciiLower(tag.name)];
            if (!tag.closing) {
                open.push_back(at + tag.size);
            } else if (tag.kind == TagKind::Footnote) { // they do not nest: every one that is open ends here
                for (const std::size_t begin : open)
                    m_ends.emplace(begin, Content{at, at + tag.size});
                open.clear();
            } else if (!open.empty()) {
                m_ends.emplace(open.back(), Content{at, at + tag.size});
                open.pop_back();
            }
        });
    }

    /// `begin` is the position after the opening tag. Returns nullopt if the element is never closed.
    std::optional<Content> contentFrom(std::size_t begin) const
    {
        const auto found = m_ends.find(begin);
        return found == m_ends.end() ? std::nullopt : std::optional(found->second);
    }

private:
    std::unordered_map<std::size_t, Content> m_ends; ///< by begin of content
};

/// Finds the next occurrence of a mark, for queries in ascending order.
class NextMark {
public:
    NextMark(string_view text, string_view mark) : m_text(text), m_mark(mark) {}

    /// Returns the first occurrence at or after `from`; the size of the text if there is none. `from` must
    /// not decrease.
    std::size_t from(std::size_t from)
    {
        if (m_next < from || !m_looked) {
            m_next = std::min(m_text.find(m_mark, from), m_text.size());
            m_looked = true;
        }
        return m_next;
    }

private:
    string_view m_text;
    string_view m_mark;
    std::size_t m_next = 0;
    bool m_looked = false;
};

/// One pass over the text that leaves out elements with their content.
class ElementDropper {
public:
    explicit ElementDropper(string_view text)
        : m_text(text), m_ends(text), m_commentEnd(text, "-->"), m_heading(text, "\n==")
    {
    }

    std::string run()
    {
        std::string out;
        out.reserve(m_text.size());
        for (std::size_t at = 0; at < m_text.size();) {
            const std::size_t next = std::min(m_text.find('<', at), m_text.size());
            out.append(m_text.substr(at, next - at));
            at = next < m_text.size() ? pass(next, out) : next;
        }
        return out;
    }

private:
    /// Handles the element or tag at `at`; returns the position where the text continues.
    std::size_t pass(std::size_t at, std::string& out)
    {
        if (m_text.substr(at).starts_with("<!--"))
            return passComment(at);
        const auto tag = parseTag(m_text.substr(at));
        if (!tag || !goesWithContent(tag->kind)) {
            out += '<';
            return at + 1;
        }
        const std::size_t begin = at + tag->size;
        const auto content = tag->closing || tag->selfClosing ? std::nullopt : contentOf(*tag, begin);
        if (!content)
            return begin;
        return passElement(*tag, {begin, content->end, content->after}, out);
    }

    struct Element {
        std::size_t begin; ///< of the content
        std::size_t end;
        std::size_t after;
    };

    /// Returns the position where the text continues.
    std::size_t passElement(const Tag& tag, const Element& element, std::string& out)
    {
        const string_view content = m_text.substr(element.begin, element.end - element.begin);
        if (tag.kind == TagKind::Code && content.find('\n') == string_view::npos)
            return element.begin; // as inline text; the closing tag is found later and goes alone
        if (tag.kind == TagKind::NoWiki)
            out += encodeAsEntities(content);
        else if (isFormula(tag.name))
            out += kOmission;
        return element.after;
    }

    static bool isFormula(string_view name)
    {
        static constexpr string_view formulas[]{"math", "chem", "ce"};
        return contains(formulas, asciiLower(name));
    }

    std::size_t passComment(std::size_t at)
    {
        const std::size_t end = m_commentEnd.from(at);
        return end == m_text.size() ? at + 4 : end + 3;
    }

    std::optional<Content> contentOf(const Tag& tag, std::size_t begin)
    {
        const auto content = m_ends.contentFrom(begin);
        if (!content || tag.kind != TagKind::Footnote)
            return content;
        // A heading inside means that the closing tag belongs to a later footnote.
        if (content->end - begin > kMaxFootnote || m_heading.from(begin) < content->end)
            return std::nullopt;
        return content;
    }

    string_view m_text;
    ElementEnds m_ends;
    NextMark m_commentEnd;
    NextMark m_heading;
};

/// "<sup>-2</sup>" becomes "⁻²", because "10-2" would be another number. Returns how many bytes after the
/// opening tag are done, 0 if the content is not a number.
std::size_t passSuperscript(string_view text, std::string& out)
{
    const auto end = text.substr(0, kMaxSuperscript).find("</");
    if (end == string_view::npos || end == 0)
        return 0;
    const std::string raised = superscript(text.substr(0, end));
    if (raised.empty())
        return 0;
    out += raised;
    return end;
}

/// Returns the size of a tag of a known name without ">": the name and its attributes. 0 = no such tag.
std::size_t brokenTagSize(string_view text)
{
    const auto tag = parseTagName(text);
    if (!tag || tag->name.size() < 2 || kindOfName(tag->name) == TagKind::Unknown)
        return 0; // "a <b" compares
    static constexpr ByteSet blanks(" \t");
    static constexpr ByteSet valueEnd(" \t\n<>|");
    std::size_t end = tag->size;
    if (!tag->closing && end < text.size() && !valueEnd.contains(text[end]) && text[end] != '/')
        return 0; // "<box" is no "<b"
    for (;;) {
        const std::size_t name = blanks.findOther(text, end);
        std::size_t at = name;
        while (at < text.size() && isNameCharacter(text[at]))
            ++at;
        if (at == name || text.substr(at, 1) != "=")
            return end + (text.substr(end, 1) == "/" ? 1 : 0);
        const bool quoted = text.substr(at + 1, 1) == "\"";
        const auto quote = quoted ? text.substr(0, at + kMaxTag).find_first_of("\"\n", at + 2) : at;
        end =
            quoted && quote != string_view::npos ? quote + (text[quote] == '"') : valueEnd.find(text, at + 1);
    }
}

/// What a tag that is left becomes.
string_view textOfTag(const Tag& tag)
{
    switch (tag.kind) {
    case TagKind::LineBreak:
        return " ";
    case TagKind::Block:
        return "\n";
    case TagKind::Paragraph:
        return "\n\n";
    case TagKind::ListItem:
        return tag.closing ? "\n" : "\n* ";
    case TagKind::Term:
        return tag.closing ? "\n" : "\n; ";
    case TagKind::Definition:
        return tag.closing ? "\n" : "\n: ";
    default:
        return {};
    }
}

/// Removes the tag at text[0] == '<'; returns how many bytes of the input that covers.
std::size_t passTag(string_view text, std::string& out)
{
    const auto tag = parseTag(text);
    if (!tag) {
        const std::size_t broken = brokenTagSize(text);
        out += broken == 0 ? "<" : "";
        return std::max<std::size_t>(broken, 1);
    }
    out += textOfTag(*tag);
    const bool raises = tag->kind == TagKind::Superscript && !tag->closing;
    return tag->size + (raises ? passSuperscript(text.substr(tag->size), out) : 0);
}

} // namespace

std::string dropElements(string_view markup)
{
    return ElementDropper(markup).run();
}

std::string dropTags(string_view markup)
{
    std::string out;
    out.reserve(markup.size());
    for (;;) {
        const auto at = markup.find('<');
        out.append(markup.substr(0, at));
        if (at == string_view::npos)
            return out;
        markup.remove_prefix(at);
        markup.remove_prefix(passTag(markup, out));
    }
}

} // namespace trainyard
