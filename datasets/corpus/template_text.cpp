#include "datasets/corpus/template_text.h"

#include "datasets/corpus/letters.h"
#include "datasets/corpus/template_table.h"
#include "datasets/corpus/text_scan.h"

namespace trainyard {

namespace {

using std::string_view;

/// A parser function: "{{name:first|second|...}}". Arguments are not trimmed of their names.
struct FunctionCall {
    std::string name; ///< lower case
    std::vector<string_view> arguments;

    string_view at(std::size_t index) const
    {
        return index < arguments.size() ? trimmed(arguments[index]) : string_view();
    }
};

FunctionCall parseFunction(string_view call, std::size_t colon)
{
    FunctionCall function{lowerCase(trimmed(call.substr(0, colon))), {}};
    for (const string_view part : splitTopLevel(call.substr(colon + 1), '|'))
        function.arguments.push_back(part);
    return function;
}

/// Returns the first case of {{#switch:}} that fits, or the default. Cases without a value fall through.
string_view chosenCase(const FunctionCall& function)
{
    bool found = false;
    string_view byDefault;
    for (std::size_t i = 1; i < function.arguments.size(); ++i) {
        const string_view each = function.arguments[i];
        const auto equals = each.find('=');
        const string_view name = trimmed(each.substr(0, equals));
        found = found || name == function.at(0);
        if (equals == string_view::npos) {
            byDefault = i + 1 == function.arguments.size() ? name : byDefault;
            continue;
        }
        const string_view value = trimmed(each.substr(equals + 1));
        if (found)
            return value;
        if (name == "#default")
            byDefault = value;
    }
    return byDefault;
}

/// Evaluates the functions that need nothing of the wiki; the others leave no text.
std::string functionText(const FunctionCall& function)
{
    if (function.name == "formatnum" || function.name == "#formatnum" || function.name == "nowrap")
        return std::string(function.at(0));
    if (function.name == "lc")
        return lowerCase(function.at(0));
    if (function.name == "uc" || function.name == "ucfirst" || function.name == "lcfirst")
        return std::string(function.at(0));
    if (function.name == "#if")
        return std::string(function.at(function.at(0).empty() ? 2 : 1));
    if (function.name == "#ifeq")
        return std::string(function.at(function.at(0) == function.at(1) ? 2 : 3));
    if (function.name == "#ifexist" || function.name == "#iferror")
        return std::string(function.at(1));
    if (function.name == "#switch")
        return std::string(chosenCase(function));
    return {};
}

/// {{lang-el|word|...}} shows the name of the language before the word; only the word is kept.
std::string wordOfLanguage(string_view call)
{
    const TemplateCall parsed(call);
    const string_view word = parsed.either({"text"}, 0);
    return word.empty() ? std::string(1, kOmission) : std::string(word);
}

} // namespace

std::string templateText(string_view call)
{
    const std::string name = templateName(call);
    const TemplateTable& table = TemplateTable::builtIn();
    if (const auto* text = table.find(name))
        return (*text)(TemplateCall(call));
    if (name.starts_with("lang-"))
        return wordOfLanguage(call);
    if (table.isPronunciation(name))
        return std::string(1, kOmission);
    if (table.isFrenchOrdinal(name))
        return std::string(trimmed(call.substr(0, call.find('|'))));
    const auto colon = call.substr(0, call.find('|')).find(':');
    return colon == string_view::npos ? std::string() : functionText(parseFunction(call, colon));
}

} // namespace trainyard
