#include "datasets/corpus/abbreviations.h"

#include <string>
#include <unordered_map>

#include "datasets/corpus/letters.h"
#include "engine/base/utf8.h"

namespace trainyard {

namespace {

using std::string_view;

// Lower case. Words that in another of these languages often end a sentence are left out.
// clang-format off
constexpr string_view kNeverLast[]{
    "adm",  "approx", "archbp", "asst", "ave", "bp",   "brig",  "bros",  "c",    "ca",  "capt",
    "cf",   "cir",    "cmdr",   "cmdt", "col", "cpl",  "dept",  "dr",    "e.g",  "ed",  "eds",
    "fr",   "ft",     "gen",    "gov",  "hon", "i.e",  "illus", "insp",  "lt",   "maj", "messrs",
    "mlle", "mm",     "mme",    "mr",   "mrs", "ms",   "msgr",  "mt",    "mts",  "mx",  "nr",
    "ph",   "pres",   "prof",   "pvt",  "rep", "repr", "rev",   "revd",  "rt",   "sen", "sens",
    "sgt",  "sr",     "sra",    "ss",   "st",  "ste",  "supt",  "trans", "univ", "v",   "ven",
    "viz",  "vols",   "vs",     "wm",   "rhs", "lhs",
    "bzw", "vgl", "sog", "insb", "inkl", "evtl", "ggf", "hrsg", "geb", "gest", "dipl", "ing", "engl", "griech", // German
    "mgr", "env", "éd",                                                                       // French
    "srta", "dra", "dña", "lic", "gral", "ud", "uds", "exmo", "aprox",                         // Spanish, Portuguese
    "sig", "sigg", "dott", "avv",                                                             // Italian
    "bijv", "dhr", "mevr", "drs",                                                             // Dutch
    "np", "tzn", "tj", "tzw", "ul", "św", "ks",                                               // Polish
    "např", "tzv", "sv", "popř", "resp",                                                      // Czech
    "ул", "св", "проф", "акад", "доц", "ген", "инж", "напр", "оз", "пос", "т.е", "т.к",        // Russian
    "гр", "вж", "т.нар", "д-р", "г-н", "г-жа",                                                // Bulgarian
    "вул", "див",                                                                             // Ukrainian
    "t.ex", "bl.a", "f.eks", "s.k", "f.d",                                                    // Scandinavian languages
    "π.χ", "δηλ",                                                                             // Greek
};

constexpr string_view kBeforeNumber[]{
    "art", "cap", "ch", "chap", "cl", "fig", "figs", "fl", "no", "nos", "op", "p", "par", "pp", "r", "sec", "sect", "sp",
    "vol", "bd", "kap", "abb", "abs", "tab", "pág", "págs", "núm", "pag", "pagg", "blz", "č", "str", "séc", "ok", "im",
    "рис", "табл", "стр", "гл", "т", "см", "с", "ок", "№",
};

constexpr string_view kSometimesLast[]{
    "a.d", "a.m", "apr", "aug",   "b.c", "b.c.e", "c.e", "co",  "corp",
    "d.c", "dec", "esq", "et al", "etc", "feb",   "inc", "jan", "jr",
    "jul", "jun", "ltd", "mar",   "n.y", "nov",   "oct", "p.m", "ph.d",
    "pty", "s.a", "sep", "sept",  "spp", "u.k",   "u.s",
};
// clang-format on

using Kinds = std::unordered_map<string_view, Abbreviation>;

Kinds makeKinds()
{
    Kinds kinds;
    for (const string_view word : kSometimesLast)
        kinds.emplace(word, Abbreviation::SometimesLast);
    for (const string_view word : kNeverLast)
        kinds.emplace(word, Abbreviation::NeverLast);
    for (const string_view word : kBeforeNumber)
        kinds.emplace(word, Abbreviation::BeforeNumber);
    return kinds;
}

bool isLetter(char32_t c)
{
    return letterKinds(c) & letter_kind::kLetter;
}

/// "U.S", "e.g", "т.д": single letters with full stops between them.
bool isLetterSeries(string_view word)
{
    std::size_t letters = 0;
    for (std::size_t at = 0; at < word.size();) {
        const Utf8Char c = decodeUtf8(word, at);
        at += c.bytes;
        if (!isLetter(c.code))
            return false;
        ++letters;
        if (at == word.size())
            break;
        if (word[at] != '.' || ++at == word.size())
            return false;
    }
    return letters >= 2;
}

/// One capital letter. "I" is a word too.
bool isInitial(string_view word)
{
    if (word.empty() || word == "I")
        return false;
    const Utf8Char c = decodeUtf8(word, 0);
    return c.bytes == word.size() && letterKinds(c.code) & letter_kind::kUpper;
}

/// "z" of "z. B.", "κ" of "κ. Νίκος". Cyrillic ones end sentences too often: "в 1799 г."
bool isSmallLetter(string_view word)
{
    if (word.empty())
        return false;
    const Utf8Char c = decodeUtf8(word, 0);
    const bool greek = c.code >= U'α' && c.code <= U'ω';
    return c.bytes == word.size() && ((c.code >= 'a' && c.code <= 'z') || greek);
}

} // namespace

Abbreviation abbreviationKind(string_view word)
{
    constexpr std::size_t kMaxWord = 24; // bytes
    static const Kinds kinds = makeKinds();
    if (word.size() > kMaxWord)
        return Abbreviation::None;
    if (isInitial(word))
        return Abbreviation::NeverLast;
    if (const auto found = kinds.find(lowerCase(word)); found != kinds.end())
        return found->second;
    return isLetterSeries(word) || isSmallLetter(word) ? Abbreviation::SometimesLast : Abbreviation::None;
}

} // namespace trainyard
