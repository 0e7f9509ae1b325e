#include "datasets/corpus/template_text.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <unordered_map>
#include <vector>

#include "datasets/corpus/text_scan.h"

namespace trainyard {

namespace {

using std::string_view;
using Arguments = std::vector<string_view>; ///< positional arguments only, [0] = first
using Rule = std::string (*)(const Arguments&);

std::string at(const Arguments& arguments, std::size_t index)
{
    return index < arguments.size() ? std::string(arguments[index]) : std::string();
}

std::string first(const Arguments& arguments)
{
    return at(arguments, 0);
}
std::string second(const Arguments& arguments)
{
    return at(arguments, 1);
}
std::string last(const Arguments& arguments)
{
    return arguments.empty() ? std::string() : std::string(arguments.back());
}
std::string secondOrFirst(const Arguments& arguments)
{
    return arguments.size() > 1 ? second(arguments) : first(arguments);
}
std::string joined(const Arguments& arguments)
{
    std::string out;
    for (const string_view argument : arguments)
        out += argument;
    return out;
}
std::string spaced(const Arguments& arguments)
{
    std::string out;
    for (const string_view argument : arguments)
        out += (out.empty() ? "" : " ") + std::string(argument);
    return out;
}

std::string fraction(const Arguments& arguments)
{
    switch (arguments.size()) {
    case 0:
        return {};
    case 1:
        return "1/" + at(arguments, 0);
    case 2:
        return at(arguments, 0) + "/" + at(arguments, 1);
    default:
        return at(arguments, 0) + " " + at(arguments, 1) + "/" + at(arguments, 2);
    }
}

std::string unitName(string_view unit)
{
    static const std::unordered_map<string_view, string_view> names{
        {"C", "°C"},       {"F", "°F"},       {"km2", "km²"},    {"m2", "m²"},   {"sqmi", "sq mi"},
        {"sqft", "sq ft"}, {"sqkm", "km²"},   {"m3", "m³"},      {"km3", "km³"}, {"cm2", "cm²"},
        {"cm3", "cm³"},    {"cuft", "cu ft"}, {"acre", "acres"}, {"mph", "mph"}};
    const auto found = names.find(unit);
    return std::string(found == names.end() ? unit : found->second);
}

bool isRangeWord(string_view text)
{
    static constexpr string_view words[]{"-", "–", "to",      "and",   "or",  "by",
                                         "x", "×", "&ndash;", "to(-)", "+/-", "±"};
    return contains(words, text);
}

/// {{convert|5|km|mi}} -> "5 km"; {{convert|5|to|10|km|mi}} -> "5 to 10 km".
std::string convert(const Arguments& arguments)
{
    std::string out = first(arguments);
    std::size_t unit = 1;
    while (unit + 1 < arguments.size() && isRangeWord(arguments[unit])) {
        out += " " + std::string(arguments[unit] == "to(-)" ? "to" : arguments[unit]) + " " +
               std::string(arguments[unit + 1]);
        unit += 2;
    }
    return unit < arguments.size() ? out + " " + unitName(arguments[unit]) : out;
}

std::string powerOfTen(const Arguments& arguments)
{
    return " × 10" + first(arguments);
}
std::string ship(const Arguments& arguments)
{
    return first(arguments) + " " + second(arguments);
}
template <char const* Text>
std::string literal(const Arguments&)
{
    return Text;
}
template <char const* Prefix>
std::string prefixed(const Arguments& arguments)
{
    return Prefix + first(arguments);
}

constexpr char kEnDash[] = " – ";
constexpr char kTightEnDash[] = "–";
constexpr char kEmDash[] = "—";
constexpr char kSpacedEmDash[] = " — ";
constexpr char kSpace[] = " ";
constexpr char kCirca[] = "c. ";
constexpr char kAsOf[] = "As of ";
constexpr char kPound[] = "£";
constexpr char kDollar[] = "US$";
constexpr char kEuro[] = "€";
constexpr char kHms[] = "HMS ";
constexpr char kUss[] = "USS ";
constexpr char kApostrophe[] = "'";
constexpr char kPipe[] = "&#124;";
constexpr char kEquals[] = "=";
constexpr char kOkina[] = "ʻ";
constexpr char kDot[] = " · ";
constexpr char kPlusMinus[] = "±";

const std::unordered_map<string_view, Rule>& rules()
{
    static const std::unordered_map<string_view, Rule> table{
        {"convert", convert},
        {"cvt", convert},
        {"formatnum", first},
        {"val", first},
        {"num", first},
        {"nts", first},
        {"frac", fraction},
        {"fraction", fraction},
        {"sfrac", fraction},
        {"e", powerOfTen},
        {"esp", powerOfTen},
        {"lang", second},
        {"transl", last},
        {"transliteration", last},
        {"nihongo", first},
        {"script", last},
        {"unicode", first},
        {"polytonic", first},
        {"zh", first},
        {"nowrap", first},
        {"nobr", first},
        {"nobold", first},
        {"small", first},
        {"smaller", first},
        {"big", first},
        {"larger", first},
        {"abbr", first},
        {"tooltip", first},
        {"sic", first},
        {"not a typo", joined},
        {"as written", joined},
        {"em", first},
        {"strong", first},
        {"smallcaps", first},
        {"sc", first},
        {"sup", first},
        {"sub", first},
        {"su", joined},
        {"math", first},
        {"mvar", first},
        {"var", first},
        {"chem", joined},
        {"chem2", first},
        {"angle bracket", first},
        {"quote", first},
        {"quotation", first},
        {"cquote", first},
        {"blockquote", first},
        {"quote box", first},
        {"bq", first},
        {"color", second},
        {"font color", last},
        {"colored link", last},
        {"visible anchor", first},
        {"vanchor", first},
        {"ill", first},
        {"interlanguage link", first},
        {"link-interwiki", first},
        {"linktext", joined},
        {"wikt-lang", second},
        {"flag", first},
        {"flagcountry", first},
        {"country", first},
        {"ordinal", first},
        {"proper name", first},
        {"uss", prefixed<kUss>},
        {"hms", prefixed<kHms>},
        {"ship", ship},
        {"sclass", first},
        {"as of", prefixed<kAsOf>},
        {"circa", prefixed<kCirca>},
        {"c.", prefixed<kCirca>},
        {"gbp", prefixed<kPound>},
        {"us$", prefixed<kDollar>},
        {"usd", prefixed<kDollar>},
        {"eur", prefixed<kEuro>},
        {"euro", prefixed<kEuro>},
        {"ndash", literal<kTightEnDash>},
        {"en dash", literal<kTightEnDash>},
        {"–", literal<kEnDash>},
        {"spaced ndash", literal<kEnDash>},
        {"snd", literal<kEnDash>},
        {"spnd", literal<kEnDash>},
        {"mdash", literal<kEmDash>},
        {"em dash", literal<kEmDash>},
        {"—", literal<kSpacedEmDash>},
        {"spaced mdash", literal<kSpacedEmDash>},
        {"nbsp", literal<kSpace>},
        {"thinsp", literal<kSpace>},
        {"space", literal<kSpace>},
        {"'", literal<kApostrophe>},
        {"!", literal<kPipe>},
        {"=", literal<kEquals>},
        {"okina", literal<kOkina>},
        {"·", literal<kDot>},
        {"dot", literal<kDot>},
        {"bull", literal<kDot>},
        {"+-", literal<kPlusMinus>},
        {"±", literal<kPlusMinus>},
        {"birth-date", first},
        {"death-date", first},
        {"start date", spaced},
        {"music", secondOrFirst},
    };
    return table;
}

/// "name=value" is a named argument; "1=value" counts as positional. Markup inside the value does not count.
bool isNamed(string_view argument, string_view& value)
{
    const auto equals = argument.find('=');
    if (equals == string_view::npos || equals == 0)
        return false;
    const string_view name = trimmed(argument.substr(0, equals));
    if (name.find_first_of("[]<>\"&") != string_view::npos || name.size() > 30)
        return false;
    value = trimmed(argument.substr(equals + 1));
    return !std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c); });
}

Arguments positional(const std::vector<string_view>& parts)
{
    Arguments arguments;
    for (std::size_t i = 1; i < parts.size(); ++i) {
        string_view value = trimmed(parts[i]);
        if (!isNamed(parts[i], value))
            arguments.push_back(value);
    }
    return arguments;
}

/// "{{Lang-el|...}}" is the language followed by a word; only the word is kept. "{{formatnum:12}}" passes its
/// first argument after a colon.
std::string applyRule(const std::string& name, Arguments arguments)
{
    if (name.starts_with("formatnum:"))
        return std::string(trimmed(string_view(name).substr(10)));
    if (name.starts_with("lang-"))
        return first(arguments);
    const auto rule = rules().find(name);
    return rule == rules().end() ? std::string() : rule->second(arguments);
}

} // namespace

std::string templateText(string_view call)
{
    const auto parts = splitTopLevel(call, '|');
    std::string name = asciiLower(trimmed(parts[0]));
    std::replace(name.begin(), name.end(), '_', ' ');
    return applyRule(name, positional(parts));
}

} // namespace trainyard
