#include <algorithm>

#include "datasets/corpus/left_out.h"
#include "datasets/corpus/letters.h"
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
        out = kLeftOut;
    return out;
}

std::string leftOut(const TemplateCall&)
{
    return std::string(1, kLeftOut);
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

template <char const* Text>
std::string literal(const TemplateCall&)
{
    return Text;
}
template <char const* Prefix>
std::string prefixed(const TemplateCall& call)
{
    return Prefix + std::string(call.at(0));
}

constexpr char kSpacedEnDash[] = " – ";
constexpr char kEnDash[] = "–";
constexpr char kEmDash[] = "—";
constexpr char kSpacedEmDash[] = " — ";
constexpr char kMinus[] = "−";
constexpr char kSpace[] = " ";
constexpr char kNothing[] = "";
constexpr char kApostrophe[] = "'";
constexpr char kApostropheS[] = "'s";
constexpr char kPipe[] = "&#124;";
constexpr char kEquals[] = "=";
constexpr char kOkina[] = "ʻ";
constexpr char kDot[] = " · ";
constexpr char kPlusMinus[] = "±";
constexpr char kDagger[] = "†";
constexpr char kPi[] = "π";
constexpr char kTimes[] = " × ";
constexpr char kEllipsis[] = "...";
constexpr char kHms[] = "HMS ";
constexpr char kUss[] = "USS ";
constexpr char kSs[] = "SS ";
constexpr char kRms[] = "RMS ";
constexpr char kHmas[] = "HMAS ";
constexpr char kHmcs[] = "HMCS ";
constexpr char kHmnzs[] = "HMNZS ";
constexpr char kMv[] = "MV ";
constexpr char kSms[] = "SMS ";
constexpr char kUscgc[] = "USCGC ";
constexpr char kUsns[] = "USNS ";
constexpr char kRfa[] = "RFA ";
constexpr char kMister[] = "M. ";
constexpr char kMadame[] = "Mme ";
constexpr char kMademoiselle[] = "Mlle ";
constexpr char kNumberSign[] = "no ";
constexpr char kPage[] = "p. ";

void addLanguageRules(TemplateRules& rules)
{
    addRules(rules,
             {
                 {second,
                  {"lang", "langx", "langue", "wikt-lang", "language", "langr", "lang2", "idioma", "lingua"}},
                 {last, {"transl", "transliteration", "translit", "tlit", "script", "rtl-lang", "rtl-para"}},
                 {firstOrSecond,
                  {"nihongo", "nihongo2", "nihongo3", "nihongo krt", "nihongo foot", "japonais", "korean",
                   "ruby", "ruby-ja", "読み仮名", "ふりがな", "lang-ja2"}},
                 {chinese, {"zh", "lang-zh", "langx-zh", "zh-hans", "zh-hant", "chinois", "китайский"}},
                 {first,
                  {"polytonic", "unicode", "iast", "hebrew", "arabic", "persian", "greek", "cyrillic",
                   "coptic", "jis2004フォント", "補助漢字フォント", "cp932フォント", "jis90フォント",
                   "jis2004font", "bahasa"}},
                 {gloss, {"gloss", "translation", "trans"}},
                 {literally, {"literal translation", "lit", "literally"}},
                 {leftOut,
                  {"ipa",
                   "ipa2",
                   "ipalink",
                   "ipa link",
                   "ipablink",
                   "ipaslink",
                   "ipa all",
                   "respell",
                   "pron",
                   "pronunciation",
                   "audio",
                   "audio2",
                   "api",
                   "afi",
                   "phon",
                   "phonétique",
                   "мфа",
                   "аудио",
                   "lautschrift",
                   "h:ipa",
                   "usdict",
                   "usdict2",
                   "listen",
                   "pronunciation-en",
                   "pron-en",
                   "fonet",
                   "prononciation",
                   "発音",
                   "audio-ipa",
                   "ipanotice",
                   "phonemic",
                   "avd",
                   "ouvir",
                   "mfa",
                   "международный фонетический алфавит"}},
             });
}

void addFormattingRules(TemplateRules& rules)
{
    addRules(
        rules,
        {
            {first,
             {"nowrap",
              "nobr",
              "nwr",
              "nobreak",
              "nobold",
              "noitalic",
              "noitalics",
              "small",
              "smaller",
              "big",
              "larger",
              "large",
              "huge",
              "abbr",
              "tooltip",
              "abbrv",
              "define",
              "em",
              "strong",
              "strongbad",
              "smallcaps",
              "sc",
              "smallcaps all",
              "allcaps",
              "sub",
              "indice",
              "math",
              "mvar",
              "var",
              "texhtml",
              "bigmath",
              "chem2",
              "angle bracket",
              "angbr",
              "visible anchor",
              "vanchor",
              "va",
              "anchord",
              "linktext2",
              "flag",
              "flagcountry",
              "flagu",
              "flagdeco",
              "country",
              "proper name",
              "bold",
              "italic",
              "italics",
              "underline",
              "u",
              "highlight",
              "midsize",
              "resize",
              "normal",
              "nonitalic",
              "notatypo",
              "code",
              "kbd",
              "samp",
              "key",
              "keypress",
              "mono",
              "monospace",
              "tt",
              "nospell",
              "no spell",
              "lc",
              "uc",
              "initcap",
              "sic inline",
              "csname",
              "rws",
              "stn",
              "stnlnk",
              "station",
              "petit",
              "grand",
              "citation bloc",
              "comment",
              "бс",
              "nobr begin",
              "w",
              "wl",
              "нет переноса",
              "ulist item",
              "center",
              "centre",
              "left",
              "aut",
              "auteur",
              "tlf",
              "versalita",
              "versalitas",
              "sm",
              "kapitälchen",
              "fr-s",
              "dn name",
              "hidden text"}},
            {joined,
             {"not a typo", "as written", "typo", "sic", "notatypo2", "chem", "su", "linktext", "subsup"}},
            {second,
             {"color", "colour", "fontcolor", "font color2", "color text", "hover title", "text color"}},
            {last, {"font color", "colored link", "coloredlink", "background color", "bg", "rotate text"}},
            {spaced, {"spaced", "unbulleted list inline"}},
            {first, {"quote",          "quotation",      "cquote",
                     "blockquote",     "quote box",      "bq",
                     "centered quote", "poemquote",      "poem quote",
                     "cita",           "citat",          "citazione",
                     "zitat",          "цитата",         "citace",
                     "quotebox",       "quote inline",   "verse translation",
                     "cite quote",     "cita destacada", "начало цитаты",
                     "citácia",        "idézet",         "citát",
                     "alıntı",         "quote frame",    "rquote"}},
            {inQuotes, {"\"", "quote marks", "tq", "tqq"}},
            {inGuillemets, {"citation", "guil", "« »", "citation étrangère", "cita cita", "guillemets"}},
        });
}

void addLinkRules(TemplateRules& rules)
{
    addRules(rules, {
                        {link,
                         {"ill",
                          "illm",
                          "interlanguage link",
                          "interlanguage link multi",
                          "link-interwiki",
                          "iii",
                          "lien",
                          "仮リンク",
                          "link-en",
                          "link-de",
                          "link-fr",
                          "link-ja",
                          "link-ru",
                          "link-es",
                          "link-it",
                          "le",
                          "lj",
                          "ld",
                          "lf",
                          "liw",
                          "internal link helper",
                          "tsl helper",
                          "enlace no traducido",
                          "ent",
                          "ilm",
                          "ll"}},
                        {secondOrFirst,
                         {"нп", "нп1", "нп2", "нп3", "нп4", "нп5", "нп6", "не переведено", "не переведено 2",
                          "не переведено 3", "не переведено 4", "не переведено 5", "iw", "iw2",
                          "не перекладено", "нп ", "tl link"}},
                        {ship, {"ship"}},
                        {shipClass, {"sclass", "sclass2", "sclass-"}},
                        {road, {"jct"}},
                        {musicSign, {"music"}},
                        {prefixed<kUss>, {"uss"}},
                        {prefixed<kHms>, {"hms"}},
                        {prefixed<kSs>, {"ss"}},
                        {prefixed<kRms>, {"rms"}},
                        {prefixed<kHmas>, {"hmas"}},
                        {prefixed<kHmcs>, {"hmcs"}},
                        {prefixed<kHmnzs>, {"hmnzs"}},
                        {prefixed<kMv>, {"mv"}},
                        {prefixed<kSms>, {"sms"}},
                        {prefixed<kUscgc>, {"uscgc"}},
                        {prefixed<kUsns>, {"usns"}},
                        {prefixed<kRfa>, {"rfa"}},
                        {prefixed<kMister>, {"m."}},
                        {prefixed<kMadame>, {"mme"}},
                        {prefixed<kMademoiselle>, {"mlle"}},
                        {prefixed<kNumberSign>, {"n°", "no", "numéro"}},
                        {prefixed<kPage>, {"p."}},
                    });
}

void addSignRules(TemplateRules& rules)
{
    addRules(
        rules,
        {
            {literal<kEnDash>, {"ndash", "en dash", "nsndns"}},
            {literal<kSpacedEnDash>,
             {"–", "spaced ndash", "spaced en dash", "snd", "spnd", "spndash", "dash", "тире"}},
            {literal<kEmDash>, {"mdash", "em dash", "emdash"}},
            {literal<kSpacedEmDash>, {"—", "spaced mdash", "spaced em dash", "smd"}},
            {literal<kMinus>, {"minus"}},
            {literal<kSpace>,
             {"nbsp", "thinsp", "thin space", "space", "hair space", "hairsp", "nnbsp",
              "narrow no-break space", "sp", "esd", "espace", "espaces", "nowrap begin space", "thinspace"}},
            {literal<kNothing>, {"zwsp", "wbr", "shy", "zwj", "zwnj"}},
            {literal<kApostrophe>, {"'", "`", "apostrophe", "hamza"}},
            {literal<kApostropheS>, {"'s", "apostrophes"}},
            {literal<kPipe>, {"!", "pipe", "vert"}},
            {literal<kEquals>, {"=", "equals"}},
            {literal<kOkina>, {"okina", "ʻokina"}},
            {literal<kDot>, {"·", "•", "dot", "bull", "middot", "bullet", "dotsep", "pipe-separator"}},
            {literal<kPlusMinus>, {"+-", "±", "plusminus"}},
            {literal<kDagger>, {"dagger", "†", "extinct"}},
            {literal<kPi>, {"pi"}},
            {literal<kTimes>, {"times"}},
            {literal<kEllipsis>, {"...", "ellipsis", "…"}},
        });
}

} // namespace

void addWordRules(TemplateRules& rules)
{
    addLanguageRules(rules);
    addFormattingRules(rules);
    addLinkRules(rules);
    addSignRules(rules);
}

} // namespace trainyard
