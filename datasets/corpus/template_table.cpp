#include "datasets/corpus/template_table.h"

#include <algorithm>

#include "datasets/corpus/name_lists.h"
#include "datasets/corpus/template_rules.h"
#include "datasets/corpus/text_scan.h"

namespace trainyard {

namespace {

using std::string_view;

constexpr string_view kRules = "rules"; // the key that all rules are under

/// Returns nullptr if there is no such rule.
TemplateTable::Text ruleNamed(string_view name)
{
    for (const auto& rules : {wordRules(), numberRules(), dateRules()}) {
        const auto rule = std::find_if(rules.begin(), rules.end(),
                                       [name](const TemplateRule& each) { return each.name == name; });
        if (rule != rules.end())
            return rule->text;
    }
    return nullptr;
}

/// Two rules have a text in the list: {"literal": {"–": ["ndash"]}}.
TemplateTable::Text ruleWithText(string_view name, const std::string& text)
{
    if (name == "literal")
        return [text](const TemplateCall&) { return text; };
    if (name == "prefix")
        return [text](const TemplateCall& call) { return text + std::string(call.at(0)); };
    return nullptr;
}

TemplateTable::Text ruleOf(const ListedName& listed)
{
    return listed.isAt(kRules, 2)   ? ruleNamed(listed.keys[1])
           : listed.isAt(kRules, 3) ? ruleWithText(listed.keys[1], listed.keys[2])
                                    : nullptr;
}

} // namespace

Result<TemplateTable> TemplateTable::parse(string_view json)
{
    TRAINYARD_TRY(const auto names, parseNameList(json));
    TemplateTable table;
    for (const ListedName& listed : names)
        TRAINYARD_TRY_STATUS(table.add(listed));
    return table;
}

Status TemplateTable::add(const ListedName& listed)
{
    if (listed.isAt("pronunciation_prefixes", 1)) {
        m_pronunciationPrefixes.push_back(listed.name);
        return {};
    }
    if (listed.isAt("french_ordinal_endings", 1)) {
        m_frenchOrdinalEndings.push_back(listed.name);
        return {};
    }
    Text text = ruleOf(listed);
    if (!text)
        return listed.problem("unknown rule");
    if (templateName(listed.name) != listed.name)
        return listed.problem("not the name of a template in lower case");
    if (!m_texts.emplace(listed.name, std::move(text)).second)
        return listed.problem("has a rule already");
    return {};
}

const TemplateTable& TemplateTable::builtIn()
{
    static const TemplateTable table = parse(embeddedNameList("templates")).value();
    return table;
}

const TemplateTable::Text* TemplateTable::find(const std::string& name) const
{
    const auto found = m_texts.find(name);
    return found == m_texts.end() ? nullptr : &found->second;
}

bool TemplateTable::isPronunciation(string_view name) const
{
    return std::any_of(m_pronunciationPrefixes.begin(), m_pronunciationPrefixes.end(),
                       [name](const std::string& prefix) { return name.starts_with(prefix); });
}

bool TemplateTable::isFrenchOrdinal(string_view name) const
{
    static constexpr ByteSet roman("ivxlc");
    static constexpr ByteSet digits("0123456789");
    const std::size_t number = std::max(roman.findOther(name, 0), digits.findOther(name, 0));
    return number > 0 && std::find(m_frenchOrdinalEndings.begin(), m_frenchOrdinalEndings.end(),
                                   name.substr(number)) != m_frenchOrdinalEndings.end();
}

} // namespace trainyard
