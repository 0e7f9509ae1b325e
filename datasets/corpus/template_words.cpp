#include "datasets/corpus/template_rules.h"
#include "datasets/corpus/text_scan.h"

namespace trainyard {

namespace {

using std::string_view;

std::string first(const TemplateCall& call)
{
    return std::string(call.either({"text"}, 0));
}
std::string second(const TemplateCall& call)
{
    return std::string(call.either({"text"}, 1));
}
std::string last(const TemplateCall& call)
{
    return call.count() == 0 ? std::string() : std::string(call.positional().back());
}
std::string firstOrSecond(const TemplateCall& call)
{
    return std::string(call.at(0).empty() ? call.at(1) : call.at(0));
}
std::string secondOrFirst(const TemplateCall& call)
{
    return std::string(call.at(1).empty() ? call.at(0) : call.at(1));
}
std::string joined(const TemplateCall& call)
{
    std::string out;
    for (const string_view argument : call.positional())
        out += argument;
    return out;
}
std::string spaced(const TemplateCall& call)
{
    std::string out;
    for (const string_view argument : call.positional())
        out += (out.empty() || argument.empty() ? "" : " ") + std::string(argument);
    return out;
}

/// {{ill|Text|fr|Texte|lt=shown}}, {{lien|trad=...|fr=Texte|texte=shown}}
std::string link(const TemplateCall& call)
{
    return std::string(call.either({"lt", "display", "texte", "fr", "label"}, 0));
}

/// {{zh|c=...|p=...}} without its explanations.
std::string chinese(const TemplateCall& call)
{
    std::string out(call.either({"c", "s", "t", "hp", "p", "j"}, 0));
    if (out.empty())
        out = kOmission;
    return out;
}

std::string pronunciation(const TemplateCall&)
{
    return std::string(1, kOmission);
}

std::string ship(const TemplateCall& call)
{
    return std::string(call.at(0)) + " " + std::string(call.at(1));
}

/// {{sclass|Iowa|battleship}}
std::string shipClass(const TemplateCall& call)
{
    const std::string type = call.at(1).empty() ? "" : " " + std::string(call.at(1));
    return std::string(call.at(0)) + "-class" + type;
}

/// {{jct|state=CA|I|5}} is "I-5", {{jct|US|101}} "US 101".
std::string road(const TemplateCall& call)
{
    return std::string(call.at(0)) + (call.at(0) == "I" ? "-" : " ") + std::string(call.at(1));
}

std::string musicSign(const TemplateCall& call)
{
    const string_view sign = call.at(0);
    if (sign == "flat" || sign == "b")
        return "♭";
    if (sign == "sharp" || sign == "#")
        return "♯";
    if (sign == "natural")
        return "♮";
    return secondOrFirst(call);
}

std::string inQuotes(const TemplateCall& call)
{
    return "\"" + first(call) + "\"";
}
std::string inGuillemets(const TemplateCall& call)
{
    const std::string text = first(call);
    return text.empty() ? text : "« " + text + " »";
}
std::string gloss(const TemplateCall& call)
{
    return "‘" + first(call) + "’";
}
std::string literally(const TemplateCall& call)
{
    return "lit. ‘" + first(call) + "’";
}

} // namespace

std::span<const TemplateRule> wordRules()
{
    static constexpr TemplateRule rules[]{
        {"first", first},
        {"second", second},
        {"last", last},
        {"first_or_second", firstOrSecond},
        {"second_or_first", secondOrFirst},
        {"joined", joined},
        {"spaced", spaced},
        {"link", link},
        {"chinese", chinese},
        {"pronunciation", pronunciation},
        {"ship", ship},
        {"ship_class", shipClass},
        {"road", road},
        {"music_sign", musicSign},
        {"in_quotes", inQuotes},
        {"in_guillemets", inGuillemets},
        {"gloss", gloss},
        {"literally", literally},
    };
    return rules;
}

} // namespace trainyard
