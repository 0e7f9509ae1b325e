#include "datasets/corpus/template_call.h"

#include <algorithm>
#include <optional>

#include "datasets/corpus/letters.h"
#include "datasets/corpus/text_scan.h"
#include "engine/base/parsed_number.h"

namespace trainyard {

namespace {

using std::string_view;

constexpr std::size_t kMaxArgumentName = 30;
constexpr std::size_t kMaxPositional = 100; // "999999999=x" must not make as many

/// The name in "name=value". Markup in front of the sign means that it belongs to the value.
std::optional<string_view> argumentName(string_view argument)
{
    const auto equals = argument.substr(0, argument.find('\n', 1)).find('=');
    if (equals == string_view::npos || equals == 0)
        return std::nullopt;
    const string_view name = trimmed(argument.substr(0, equals));
    if (name.find_first_of("[]<>\"&{}") != string_view::npos || name.size() > kMaxArgumentName)
        return std::nullopt;
    return name;
}

string_view valueOf(string_view argument)
{
    return trimmed(argument.substr(argument.find('=') + 1));
}

/// 1 for "1".
std::size_t positionOf(string_view name)
{
    const std::size_t position = parsedNumber<std::size_t>(name).value_or(0);
    return position <= kMaxPositional ? position : 0;
}

} // namespace

TemplateCall::TemplateCall(string_view call)
{
    const auto parts = splitTopLevel(call, '|');
    for (std::size_t i = 1; i < parts.size(); ++i)
        add(parts[i]);
}

void TemplateCall::add(string_view argument)
{
    const auto name = argumentName(argument);
    if (!name)
        m_positional.push_back(trimmed(argument));
    else if (const std::size_t position = positionOf(*name))
        setPositional(position - 1, valueOf(argument));
    else
        m_named.emplace_back(*name, valueOf(argument));
}

void TemplateCall::setPositional(std::size_t index, string_view value)
{
    if (m_positional.size() <= index)
        m_positional.resize(index + 1);
    m_positional[index] = value;
}

string_view TemplateCall::named(string_view name) const
{
    const auto found = std::find_if(m_named.rbegin(), m_named.rend(),
                                    [name](const auto& each) { return each.first == name; });
    return found == m_named.rend() ? string_view() : found->second;
}

string_view TemplateCall::either(std::initializer_list<string_view> names, std::size_t index) const
{
    for (const string_view name : names) {
        if (const string_view value = named(name); !value.empty())
            return value;
    }
    return at(index);
}

std::string templateName(string_view call)
{
    constexpr std::size_t kMaxTemplateName = 200;
    const string_view written = trimmed(call.substr(0, call.find('|')));
    std::string name = lowerCase(written.substr(0, kMaxTemplateName));
    std::replace(name.begin(), name.end(), '_', ' ');
    for (const string_view prefix : {"subst:", "safesubst:", "template:"}) {
        if (name.starts_with(prefix))
            name = trimmed(string_view(name).substr(prefix.size()));
    }
    return name;
}

string_view withoutArgumentName(string_view argument)
{
    return argumentName(argument) ? valueOf(argument) : argument;
}

} // namespace trainyard
