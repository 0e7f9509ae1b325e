#include <algorithm>
#include <cctype>
#include <string>

#include "datasets/corpus/abbreviations.h"
#include "datasets/corpus/text_scan.h"

namespace trainyard {

namespace {

using std::string_view;

// Sorted, lower case.
constexpr string_view kNeverLast[]{
    "adm",  "approx", "archbp", "asst", "ave", "bp",   "brig",  "bros",  "c",    "ca",  "capt",
    "cf",   "cir",    "cmdr",   "cmdt", "col", "cpl",  "dept",  "dr",    "e.g",  "ed",  "eds",
    "fr",   "ft",     "gen",    "gov",  "hon", "i.e",  "illus", "insp",  "lt",   "maj", "messrs",
    "mlle", "mm",     "mme",    "mr",   "mrs", "ms",   "msgr",  "mt",    "mts",  "mx",  "nr",
    "ph",   "pres",   "prof",   "pvt",  "rep", "repr", "rev",   "revd",  "rt",   "sen", "sens",
    "sgt",  "sr",     "sra",    "ss",   "st",  "ste",  "supt",  "trans", "univ", "v",   "ven",
    "viz",  "vols",   "vs",     "wm",   "rhs", "lhs",  "ph.d"};

constexpr string_view kBeforeNumber[]{"art", "cap", "ch",  "chap", "cl", "fig", "figs", "fl", "no", "nos",
                                      "op",  "p",   "par", "pp",   "r",  "sec", "sect", "sp", "vol"};

constexpr string_view kSometimesLast[]{"a.d", "a.m", "apr", "aug",   "b.c", "b.c.e", "c.e", "co",  "corp",
                                       "d.c", "dec", "esq", "et al", "etc", "feb",   "inc", "jan", "jr",
                                       "jul", "jun", "ltd", "mar",   "n.y", "nov",   "oct", "p.m", "ph.d",
                                       "pty", "s.a", "sep", "sept",  "spp", "u.k",   "u.s"};

/// "U.S", "e.g", "B.C": single letters with full stops between them.
bool isLetterSeries(string_view word)
{
    if (word.size() < 3 || word.size() % 2 == 0)
        return false;
    for (std::size_t i = 0; i < word.size(); ++i) {
        const bool letter = std::isalpha(static_cast<unsigned char>(word[i])) != 0;
        if (i % 2 == 0 ? !letter : word[i] != '.')
            return false;
    }
    return true;
}

bool isInitial(string_view word)
{
    return word.size() == 1 && std::isupper(static_cast<unsigned char>(word[0])) && word[0] != 'I';
}

} // namespace

Abbreviation abbreviationKind(string_view word)
{
    if (isInitial(word))
        return Abbreviation::NeverLast;
    const std::string lower = asciiLower(word);
    if (contains(kSometimesLast, lower))
        return Abbreviation::SometimesLast;
    if (contains(kNeverLast, lower))
        return Abbreviation::NeverLast;
    if (contains(kBeforeNumber, lower))
        return Abbreviation::BeforeNumber;
    return isLetterSeries(word) ? Abbreviation::SometimesLast : Abbreviation::None;
}

} // namespace trainyard
