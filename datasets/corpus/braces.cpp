#include "datasets/corpus/braces.h"

#include <vector>

#include "datasets/corpus/template_call.h"
#include "datasets/corpus/template_text.h"
#include "datasets/corpus/text_scan.h"
#include "datasets/corpus/variant_text.h"

namespace trainyard {

namespace {

using std::string_view;

/// One pass with a stack of what is open. The text of an open brace gathers in its own buffer, so that an
/// inner template is already replaced when the outer one closes.
class BraceReplacer {
public:
    explicit BraceReplacer(string_view markup) : m_rest(markup) { m_open.push_back({Kind::Text, {}}); }

    std::string run()
    {
        while (!m_rest.empty())
            step();
        abandonBehind(0);
        return std::move(m_open.front().text);
    }

private:
    enum class Kind { Text, Template, Parameter, Table, Variant };
    struct Open {
        Kind kind;
        std::string text;
    };

    void step()
    {
        static constexpr ByteSet marks("{}|-\n");
        take(marks.find(m_rest, 0));
        if (m_rest.empty())
            return;
        if (m_rest.starts_with("{|") && atLineStart())
            open(Kind::Table, 2);
        else if (m_rest.starts_with("{{"))
            openBraces();
        else if (m_rest.starts_with("-{") && (!m_rest.starts_with("-{{") || m_rest.starts_with("-{{{{")))
            open(Kind::Variant, 2);
        else if (m_rest.starts_with("}-") && top() == Kind::Variant)
            close(2);
        else if (m_rest.front() == '\n' && top() == Kind::Variant)
            abandonVariants(); // they do not go on in the next line
        else if (m_rest.starts_with("|}") && top() == Kind::Table && atLineStart())
            close(2);
        else if (m_rest.starts_with("}}}") && top() == Kind::Parameter)
            close(3);
        else if (m_rest.starts_with("}}"))
            closeTemplate();
        else
            take(1);
    }

    /// "{{{{" opens a template whose name is a template; "{{{" a parameter.
    void openBraces()
    {
        const bool parameter = m_rest.starts_with("{{{") && !m_rest.starts_with("{{{{");
        open(parameter ? Kind::Parameter : Kind::Template, parameter ? 3 : 2);
    }

    void closeTemplate()
    {
        if (m_templates == 0)
            return m_rest.remove_prefix(2);
        // A table or a parameter that was not closed before its template ends with it.
        std::size_t last = m_open.size() - 1;
        while (m_open[last].kind != Kind::Template)
            --last;
        abandonBehind(last);
        close(2);
    }

    Kind top() const { return m_open.back().kind; }
    void open(Kind kind, std::size_t size)
    {
        m_rest.remove_prefix(size);
        m_open.push_back({kind, {}});
        m_templates += kind == Kind::Template;
        if (kind == Kind::Table) // its attributes
            skipLine();
    }

    void close(std::size_t size)
    {
        const Open closed = std::move(m_open.back());
        m_open.pop_back();
        m_rest.remove_prefix(size);
        m_templates -= closed.kind == Kind::Template;
        if (closed.kind == Kind::Template)
            m_open.back().text += templateText(closed.text);
        else if (closed.kind == Kind::Variant)
            m_open.back().text += variantText(closed.text);
    }

    /// Gives up the braces after `last`, which have no end, and keeps their text.
    void abandonBehind(std::size_t last)
    {
        for (std::size_t i = last + 1; i < m_open.size(); ++i) {
            m_open[last].text += unclosedText(m_open[i]);
            m_templates -= m_open[i].kind == Kind::Template;
        }
        m_open.resize(last + 1);
    }

    void abandonVariants()
    {
        std::size_t last = m_open.size() - 1;
        while (m_open[last].kind == Kind::Variant)
            --last;
        abandonBehind(last);
    }

    /// "-{" may be text. The name and the arguments of a template are none; what follows the last bar of the
    /// line may be.
    static std::string unclosedText(const Open& open)
    {
        if (open.kind == Kind::Variant)
            return "-{" + open.text;
        const string_view text = open.text;
        const auto bar = text.substr(0, text.find('\n')).rfind('|');
        const bool arguments = open.kind == Kind::Template && bar != string_view::npos;
        return std::string(arguments ? withoutArgumentName(text.substr(bar + 1)) : text);
    }

    void take(std::size_t size)
    {
        m_open.back().text.append(m_rest.substr(0, size));
        m_rest.remove_prefix(size);
    }

    void skipLine()
    {
        const auto end = m_rest.find('\n');
        m_rest.remove_prefix(end == string_view::npos ? m_rest.size() : end);
    }

    /// Only blanks, ":" or "*" since the last line end.
    bool atLineStart() const
    {
        const std::string& text = m_open.back().text;
        const auto last = text.find_last_not_of(" \t:*#");
        return last == std::string::npos ? true : text[last] == '\n';
    }

    string_view m_rest;
    std::vector<Open> m_open;    ///< innermost last; [0] is the text itself
    std::size_t m_templates = 0; ///< among m_open
};

} // namespace

std::string replaceBraces(string_view markup)
{
    return BraceReplacer(markup).run();
}

} // namespace trainyard
