#include "engine/spec/foreign/shell_variables.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace trainyard {

namespace {

/// A variable that doubles itself line by line would fill the memory.
constexpr std::size_t kMaxValueLength = 4096;

bool isNameCharacter(unsigned char c)
{
    return std::isalnum(c) || c == '_';
}

std::size_t lengthOfName(std::string_view text)
{
    return static_cast<std::size_t>(std::ranges::find_if_not(text, isNameCharacter) - text.begin());
}

/// `$NAME` or `${NAME...}` at the beginning of a text.
struct Reference {
    std::string_view whole; ///< at least the dollar sign
    std::string_view name;  ///< empty: nothing that could be looked up
    bool isList = false;
    std::optional<std::string_view> fallback{}; ///< when there is no such variable
};

/// The text up to the brace that closes the first one.
std::string_view bracedPart(std::string_view text)
{
    int depth = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        depth += text[at] == '{' ? 1 : text[at] == '}' ? -1 : 0;
        if (depth == 0 && text[at] == '}')
            return text.substr(0, at + 1);
    }
    return {};
}

Reference bracedReference(std::string_view text)
{
    const std::string_view braced = bracedPart(text.substr(1));
    if (braced.empty())
        return {text, {}};
    Reference reference{text.substr(0, braced.size() + 1), {}};
    const std::string_view inside = braced.substr(1, braced.size() - 2);
    const std::size_t length = lengthOfName(inside);
    std::string_view rest = inside.substr(length);
    reference.isList = rest == "[@]" || rest == "[*]";
    if (rest.starts_with(':'))
        rest.remove_prefix(1);
    if (rest.starts_with('-') || rest.starts_with('='))
        reference.fallback = rest.substr(1);
    if (reference.isList || reference.fallback || length == inside.size())
        reference.name = inside.substr(0, length);
    return reference;
}

/// `text` starts with a dollar sign.
Reference referenceAt(std::string_view text)
{
    if (text.substr(1).starts_with('{'))
        return bracedReference(text);
    const bool positional = text.size() > 1 && std::isdigit(static_cast<unsigned char>(text[1]));
    const std::size_t length = positional ? 1 : lengthOfName(text.substr(1));
    return {text.substr(0, length + 1), text.substr(1, length)};
}

} // namespace

bool ShellVariables::assign(std::string_view word)
{
    const std::size_t length = lengthOfName(word);
    const bool named = length > 0 && !std::isdigit(static_cast<unsigned char>(word.front()));
    if (!named || length == word.size() || word[length] != '=')
        return false;
    auto value = substituted(word.substr(length + 1));
    if (value && value->size() <= kMaxValueLength)
        m_values.insert_or_assign(std::string(word.substr(0, length)), std::move(*value));
    return true;
}

std::string ShellVariables::expanded(std::string_view word) const
{
    return substituted(word).value_or(std::string(word));
}

std::optional<std::string> ShellVariables::substituted(std::string_view word) const
{
    const std::size_t most = word.size() + kMaxValueLength;
    std::string text;
    for (std::size_t dollar = word.find('$'); dollar != std::string_view::npos; dollar = word.find('$')) {
        text += word.substr(0, dollar);
        const Reference reference = referenceAt(word.substr(dollar));
        const auto known = m_values.find(reference.name);
        if (known != m_values.end())
            text += known->second;
        else if (reference.fallback && reference.fallback->find('$') == std::string_view::npos)
            text += *reference.fallback;
        else if (!reference.isList)
            text += reference.whole;
        if (text.size() > most)
            return std::nullopt;
        word.remove_prefix(dollar + reference.whole.size());
    }
    return text.append(word);
}

} // namespace trainyard
