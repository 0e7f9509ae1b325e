#include <algorithm>
#include <cctype>

#include "datasets/corpus/superscript.h"
#include "datasets/corpus/template_rules.h"
#include "datasets/corpus/text_scan.h"
#include "datasets/corpus/unit_names.h"

namespace trainyard {

namespace {

using std::string_view;

bool isDigit(char c)
{
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// "5", "-1.5", "1,000", "1/2"
bool isNumber(string_view text)
{
    static constexpr ByteSet numeric("0123456789.,/+-e ");
    return !text.empty() && numeric.findOther(text, 0) == text.size() &&
           std::any_of(text.begin(), text.end(), isDigit);
}

/// "km2" is "km²", "m3/s" is "m³/s"; a unit that is no word, as "CO2e", stays.
std::string raisedPowers(string_view unit)
{
    std::string out;
    for (std::size_t i = 0; i < unit.size(); ++i) {
        const bool power = (unit[i] == '2' || unit[i] == '3') && i > 0 && unit[i - 1] == 'm' &&
                           (i + 1 == unit.size() || unit[i + 1] == '/');
        out += power ? superscript(unit.substr(i, 1)) : std::string(1, unit[i]);
    }
    return out;
}

std::string unitName(string_view unit)
{
    const string_view symbol = UnitNames::builtIn().symbol(unit);
    return symbol.empty() ? raisedPowers(unit) : std::string(symbol);
}

/// "5+1/2" and "5-1/2" are five and a half, "1//2" is one half.
std::string plainNumber(string_view number)
{
    std::string out(number);
    if (const auto bar = out.find("//"); bar != std::string::npos)
        out.erase(bar, 1);
    const auto sign = out.find_first_of("+-", 1);
    if (sign != std::string::npos && out.find('/') != std::string::npos)
        out[sign] = ' ';
    return out;
}

/// {{convert|5|km|mi}} is "5 km", {{convert|5|to|10|km|mi}} "5 to 10 km", {{convert|6|ft|2|in|m}} "6 ft 2
/// in". What is given is shown; units and digits to convert to are not.
std::string convert(const TemplateCall& call)
{
    const UnitNames& names = UnitNames::builtIn();
    std::string out = plainNumber(call.at(0));
    std::size_t unit = 1;
    for (; unit + 1 < call.count() && !names.rangeWord(call.at(unit)).empty(); unit += 2)
        out += std::string(names.rangeWord(call.at(unit))) + plainNumber(call.at(unit + 1));
    if (call.at(unit).empty())
        return out;
    const std::string name = unitName(call.at(unit));
    out += (name.starts_with('/') ? "" : " ") + name;
    for (; isNumber(call.at(unit + 1)) && names.areCompound(call.at(unit), call.at(unit + 2)); unit += 2)
        out += " " + plainNumber(call.at(unit + 1)) + " " + unitName(call.at(unit + 2));
    if (call.named("adj") == "mid" && unit + 1 < call.count())
        out += call.positional().back(); // "-long"
    return out;
}

std::string fraction(const TemplateCall& call)
{
    const std::string whole = call.count() > 2 ? std::string(call.at(0)) + " " : "";
    const std::size_t numerator = call.count() > 2 ? 1 : 0;
    if (call.count() == 0)
        return {};
    if (call.count() == 1)
        return "1/" + std::string(call.at(0));
    return whole + std::string(call.at(numerator)) + "/" + std::string(call.at(numerator + 1));
}

std::string powerOfTen(string_view exponent)
{
    const std::string raised = superscript(exponent);
    return "10" + (raised.empty() ? "^" + std::string(exponent) : raised);
}

/// {{val|1.5|0.2|e=6|u=km}} is "1.5±0.2×10⁶ km".
std::string value(const TemplateCall& call)
{
    std::string out = std::string(call.named("p")) + std::string(call.at(0));
    if (call.count() > 2 && call.at(1).starts_with('+'))
        out += std::string(call.at(1)) + std::string(call.at(2));
    else if (!call.at(1).empty())
        out += "±" + std::string(call.at(1));
    if (const string_view exponent = call.named("e"); !exponent.empty())
        out += "×" + powerOfTen(exponent);
    const string_view unit = call.either({"u", "ul"}, 100);
    return unit.empty() ? out : out + " " + raisedPowers(unit);
}

std::string scientific(const TemplateCall& call)
{
    return call.at(0).empty() ? std::string("e") : "×" + powerOfTen(call.at(0));
}

/// {{unité|5|km}}, {{unité|5|m|2}}, {{unité|5|km||h|-1}} of the wikis that follow the French.
std::string numberAndUnit(const TemplateCall& call)
{
    std::string out(call.at(0));
    for (std::size_t i = 1; i < call.count(); i += 2) {
        if (call.at(i).empty())
            break;
        const std::string raised = superscript(call.at(i + 1));
        out += " " + raisedPowers(call.at(i)) + raised;
    }
    return out;
}

std::string height(const TemplateCall& call)
{
    std::string out;
    for (const string_view unit : {"m", "cm", "ft", "in"}) {
        if (const string_view number = call.named(unit); !number.empty())
            out += (out.empty() ? "" : " ") + std::string(number) + " " + std::string(unit);
    }
    return out;
}

std::string ordinal(const TemplateCall& call)
{
    const string_view number = call.at(0);
    if (number.empty() || !isDigit(number.back()))
        return std::string(number);
    const bool teen = number.size() > 1 && number[number.size() - 2] == '1';
    const char last = teen ? '0' : number.back();
    return std::string(number) + (last == '1' ? "st" : last == '2' ? "nd" : last == '3' ? "rd" : "th");
}

std::string squareRoot(const TemplateCall& call)
{
    return "√" + std::string(call.at(0));
}

std::string raisedArgument(const TemplateCall& call)
{
    const std::string raised = superscript(call.at(0));
    return raised.empty() ? std::string(call.at(0)) : raised;
}

std::string number(const TemplateCall& call)
{
    return std::string(call.at(0));
}

} // namespace

std::span<const TemplateRule> numberRules()
{
    static constexpr TemplateRule rules[]{
        {"convert", convert},
        {"fraction", fraction},
        {"value", value},
        {"scientific", scientific},
        {"number_and_unit", numberAndUnit},
        {"height", height},
        {"ordinal", ordinal},
        {"square_root", squareRoot},
        {"raised_argument", raisedArgument},
        {"number", number},
    };
    return rules;
}

} // namespace trainyard
