#pragma once

#include <span>
#include <string>
#include <string_view>

#include "datasets/corpus/template_call.h"

namespace trainyard {

/// A way to make text of a template call. resources/wiki/templates.json lists the templates that use it.
struct TemplateRule {
    std::string_view name; ///< its key in the list
    std::string (*text)(const TemplateCall&);
};

/// {{convert}}, {{val}}, {{frac}} and the like.
std::span<const TemplateRule> numberRules();

/// {{birth date}}, {{as of}}, {{circa}} and the like.
std::span<const TemplateRule> dateRules();

/// {{lang}}, {{nowrap}}, {{ill}}, {{quote}} and the like.
std::span<const TemplateRule> wordRules();

} // namespace trainyard
