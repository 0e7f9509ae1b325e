
#include "datasets/corpus/template_rules.h"
#include "datasets/corpus/text_scan.h"
#include "engine/base/parsed_number.h"

namespace trainyard {

namespace {

using std::string_view;

/// A whole number; 0 for anything else.
int numberOf(string_view text)
{
    return parsedNumber<int>(text).value_or(0);
}

bool isYes(string_view text)
{
    return !text.empty() && text != "no" && text != "n" && text != "0";
}

/// "May" for "5" and "05"; a name of a month stays.
std::string monthName(string_view month)
{
    static constexpr string_view names[]{"January",   "February", "March",    "April",
                                         "May",       "June",     "July",     "August",
                                         "September", "October",  "November", "December"};
    const int number = numberOf(month);
    return std::string(number >= 1 && number <= 12 ? names[number - 1] : month);
}

std::string dateText(string_view year, string_view month, string_view day, bool dayFirst)
{
    const std::string name = monthName(month);
    const int number = numberOf(day);
    const std::string dayText = number > 0 ? std::to_string(number) : std::string(day);
    if (name.empty())
        return std::string(year);
    if (dayText.empty())
        return name + " " + std::string(year);
    return dayFirst ? dayText + " " + name + " " + std::string(year)
                    : name + " " + dayText + ", " + std::string(year);
}

/// "2010-05-01"
bool isIsoDate(string_view text)
{
    return text.size() == 10 && text[4] == '-' && text[7] == '-' && numberOf(text.substr(0, 4)) > 0;
}

/// Year, month and day as far as they are given, or a text; {{birth date|df=yes|...}} puts the day first.
std::string date(const TemplateCall& call)
{
    const bool dayFirst = isYes(call.named("df"));
    const string_view first = call.at(0);
    if (isIsoDate(first))
        return dateText(first.substr(0, 4), first.substr(5, 2), first.substr(8, 2), dayFirst);
    if (numberOf(call.at(0)) == 0)
        return std::string(first);
    if (numberOf(call.at(1)) == 0 && !call.at(1).empty()) // {{date|2|janvier|1990}}
        return std::string(first) + " " + std::string(call.at(1)) +
               (numberOf(call.at(2)) > 0 ? " " + std::string(call.at(2)) : "");
    const bool month = numberOf(call.at(1)) >= 1 && numberOf(call.at(1)) <= 12;
    const bool day = month && numberOf(call.at(2)) >= 1 && numberOf(call.at(2)) <= 31;
    return dateText(first, month ? call.at(1) : string_view(), day ? call.at(2) : string_view(), dayFirst);
}

std::string asOf(const TemplateCall& call)
{
    if (const string_view instead = call.named("alt"); !instead.empty())
        return std::string(instead);
    const bool since = isYes(call.named("since"));
    const bool lower = isYes(call.named("lc"));
    const bool monthFirst = call.named("df") == "US" || call.named("df") == "us";
    const string_view start = since ? (lower ? "since " : "Since ") : (lower ? "as of " : "As of ");
    return std::string(start) + dateText(call.at(0), call.at(1), call.at(2), !monthFirst);
}

/// "c. 1500", "c. 1500 – c. 1510"
std::string circa(const TemplateCall& call)
{
    const std::string start = "c. " + std::string(call.at(0));
    return call.at(1).empty() ? start : start + " – c. " + std::string(call.at(1));
}

std::string years(const TemplateCall& call)
{
    const std::string start(call.at(0));
    return call.at(1).empty() ? start : start + "–" + std::string(call.at(1));
}
std::string flourished(const TemplateCall& call)
{
    return "fl. " + years(call);
}
std::string reigned(const TemplateCall& call)
{
    return "r. " + years(call);
}

bool isRomanNumber(string_view text)
{
    static constexpr ByteSet digits("IVXLC");
    return !text.empty() && digits.findOther(text, 0) == text.size();
}

/// {{s|XIX}} is "XIXe siècle" on French wikis; on Russian ones {{s|...}} keeps words together.
std::string century(const TemplateCall& call)
{
    const std::string name(call.at(0));
    return isRomanNumber(name) ? name + (name == "I" ? "er" : "e") + " siècle" : name;
}
std::string centuryNumber(const TemplateCall& call)
{
    const std::string name(call.at(0));
    return isRomanNumber(name) ? name + (name == "I" ? "er" : "e") : name;
}
std::string centuryBeforeChrist(const TemplateCall& call)
{
    return century(call) + " av. J.-C.";
}
std::string time(const TemplateCall& call)
{
    return std::string(call.at(0)) + " h" + (call.at(1).empty() ? "" : " " + std::string(call.at(1)));
}

} // namespace

std::span<const TemplateRule> dateRules()
{
    static constexpr TemplateRule rules[]{
        {"date", date},
        {"as_of", asOf},
        {"circa", circa},
        {"flourished", flourished},
        {"reigned", reigned},
        {"century", century},
        {"century_number", centuryNumber},
        {"century_before_christ", centuryBeforeChrist},
        {"time", time},
    };
    return rules;
}

} // namespace trainyard
