#include "engine/spec/foreign/megatron_arguments.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "engine/base/parsed_number.h"
#include "engine/spec/foreign/shell_variables.h"

namespace trainyard {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kBlanks = " \t\r\n";

bool isBlank(char c)
{
    return kBlanks.find(c) != std::string_view::npos;
}

constexpr std::string_view kCommandEnd = ";"; ///< the word for what ends a command or a list

/// Cuts a text into words. Scripts keep arguments in variables: quotes around these go, others hold a word
/// together.
class WordCutter {
public:
    explicit WordCutter(std::string_view text) : m_text(text) {}

    std::vector<std::string> words()
    {
        for (; m_at < m_text.size(); ++m_at)
            step(m_text[m_at]);
        endWord();
        return std::move(m_words);
    }

private:
    void step(char c)
    {
        if (c == '#' && m_word.empty())
            m_at = std::min(m_text.find('\n', m_at), m_text.size());
        else if (c == '\\')
            escape();
        else if (c == '\'' || c == '"')
            quote(c);
        else if (c == '`' || m_text.substr(m_at, 2) == "$(")
            takeSubstitution();
        else if (std::string_view("();|&").find(c) != std::string_view::npos)
            endCommand();
        else if (isBlank(c))
            endWord();
        else
            m_word += c;
    }

    void escape()
    {
        ++m_at;
        if (m_at < m_text.size() && !isBlank(m_text[m_at]))
            m_word += m_text[m_at];
    }

    void quote(char c)
    {
        if (std::exchange(m_aroundArguments, '\0') == c)
            return endCommand();
        const std::size_t end = std::min(m_text.find(c, m_at + 1), m_text.size());
        const std::string_view quoted = m_text.substr(m_at + 1, end - m_at - 1);
        if (quoted.find("--") == std::string_view::npos) {
            m_word += quoted;
            m_at = end;
        } else {
            endWord();
            m_aroundArguments = c;
        }
    }

    /// `command` or $(command), as it stands.
    void takeSubstitution()
    {
        const std::size_t begin = m_at;
        int open = 0;
        for (++m_at; m_at < m_text.size(); ++m_at) {
            open += m_text[m_at] == '(' ? 1 : m_text[m_at] == ')' ? -1 : 0;
            if (m_text[m_at] == (m_text[begin] == '`' ? '`' : ')') && open <= 0)
                break;
        }
        m_word += m_text.substr(begin, m_at + 1 - begin);
    }

    void endWord()
    {
        if (!m_word.empty())
            m_words.push_back(std::exchange(m_word, {}));
    }

    void endCommand()
    {
        endWord();
        m_words.emplace_back(kCommandEnd);
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    char m_aroundArguments = '\0'; ///< the open quote, if there is one
    std::string m_word;
    std::vector<std::string> m_words;
};

/// As Python reads numbers: ".5" too.
Json valueOf(const std::string& word)
{
    if (const Json number = Json::parse(word, nullptr, false); number.is_number())
        return number;
    const auto number = parsedNumber<double>(word);
    return number && std::isfinite(*number) ? Json(*number) : Json(word);
}

std::string nameFor(std::string_view word)
{
    std::string name(word.substr(0, word.find('=')));
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

void add(Json& value, const std::string& word)
{
    if (value == true)
        value = valueOf(word);
    else if (value.is_array())
        value.push_back(valueOf(word));
    else
        value = Json::array({value, valueOf(word)});
}

} // namespace

MegatronArguments parseMegatronArguments(std::string_view text)
{
    MegatronArguments arguments{{}, Json::object()};
    ShellVariables variables;
    Json* open = nullptr; // the argument that plain words belong to
    for (const std::string& written : WordCutter(text).words()) {
        const bool assigned = variables.assign(written);
        const std::string word = variables.expanded(written);
        if (assigned || word.empty() || word == kCommandEnd || word == "export") {
            open = nullptr;
        } else if (word.starts_with("--")) {
            open = &(arguments.values[nameFor(word)] = true);
            if (const std::size_t equals = word.find('='); equals != std::string::npos)
                add(*open, word.substr(equals + 1));
        } else if (word.ends_with(".py")) {
            arguments.program = word;
            open = nullptr;
        } else if (open) {
            add(*open, word);
        }
    }
    return arguments;
}

} // namespace trainyard
