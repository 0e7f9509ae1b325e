#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "datasets/corpus/template_call.h"

namespace trainyard {

/// What a call of a certain template leaves in the text.
using TemplateRule = std::string (*)(const TemplateCall&);

/// By name, as templateName() gives it.
using TemplateRules = std::unordered_map<std::string_view, TemplateRule>;

/// A rule and the names of the templates that it is for.
struct TemplateRuleNames {
    TemplateRule rule;
    std::initializer_list<std::string_view> names;
};

/// Names that have a rule keep it.
inline void addRules(TemplateRules& rules, std::initializer_list<TemplateRuleNames> table)
{
    for (const auto& [rule, names] : table) {
        for (const std::string_view name : names)
            rules.emplace(name, rule);
    }
}

/// {{convert}}, {{val}}, {{frac}}, prices and their like.
void addNumberRules(TemplateRules& rules);

/// {{birth date}}, {{as of}}, {{circa}} and their like.
void addDateRules(TemplateRules& rules);

/// {{lang}}, {{nowrap}}, {{ill}}, {{quote}}, dashes and blanks, and their like.
void addWordRules(TemplateRules& rules);

} // namespace trainyard
