#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard {

/// The parts of a template call, that is of what stands between "{{" and "}}". Views into the call.
class TemplateCall {
public:
    explicit TemplateCall(std::string_view call);

    /// The n-th positional argument, from 0 on, trimmed; empty when there is none. "3=x" gives the third.
    std::string_view at(std::size_t index) const
    {
        return index < m_positional.size() ? m_positional[index] : std::string_view();
    }
    std::size_t count() const { return m_positional.size(); }
    const std::vector<std::string_view>& positional() const { return m_positional; }

    /// The value of "name=value", trimmed; empty when there is none.
    std::string_view named(std::string_view name) const;

    /// The first of the named arguments that has a value, else the positional one.
    std::string_view either(std::initializer_list<std::string_view> names, std::size_t index) const;

private:
    void add(std::string_view argument);
    void setPositional(std::size_t index, std::string_view value);

    std::vector<std::string_view> m_positional;
    std::vector<std::pair<std::string_view, std::string_view>> m_named;
};

/// How the name of a template is looked up: lower case, "_" as blank, without "Template:" and "subst:".
std::string templateName(std::string_view call);

/// The part of an argument behind "name=", if it has a name.
std::string_view withoutArgumentName(std::string_view argument);

} // namespace trainyard
