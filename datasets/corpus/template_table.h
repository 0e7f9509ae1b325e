#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "datasets/corpus/template_call.h"
#include "engine/base/result.h"

namespace trainyard {

struct ListedName;

/// The templates that leave text, by name: a list of names (resources/wiki/templates.json) and the rules of
/// template_rules.h. Immutable; any thread may read it. Names are as templateName() returns them.
class TemplateTable {
public:
    using Text = std::function<std::string(const TemplateCall&)>;

    /// BadInput for what parseNameList() refuses, for an unknown key or rule, and for a name that has a rule
    /// already or that no call can have, as one in upper case.
    static Result<TemplateTable> parse(std::string_view json);

    /// Returns the table of the list that is compiled in.
    static const TemplateTable& builtIn();

    /// Returns nullptr if the template is not listed.
    const Text* find(const std::string& name) const;

    /// Names such as "ipac-en".
    bool isPronunciation(std::string_view name) const;

    /// True for "1er" and "xixe siècle": French templates that show their name.
    bool isFrenchOrdinal(std::string_view name) const;

private:
    Status add(const ListedName& listed);

    std::unordered_map<std::string, Text> m_texts;
    std::vector<std::string> m_pronunciationPrefixes;
    std::vector<std::string> m_frenchOrdinalEndings;
};

} // namespace trainyard
