#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard {

/// Splits a template call, the text between "{{" and "}}", into its arguments. The results are views into the
/// call.
class TemplateCall {
public:
    explicit TemplateCall(std::string_view call);

    /// Returns a positional argument, counted from 0, trimmed; empty if it is missing. "3=x" sets the third.
    std::string_view at(std::size_t index) const
    {
        return index < m_positional.size() ? m_positional[index] : std::string_view();
    }
    std::size_t count() const { return m_positional.size(); }
    const std::vector<std::string_view>& positional() const { return m_positional; }

    /// Returns the value of "name=value", trimmed; empty if it is missing.
    std::string_view named(std::string_view name) const;

    /// Returns the first of the named arguments that has a value, else the positional one.
    std::string_view either(std::initializer_list<std::string_view> names, std::size_t index) const;

private:
    void add(std::string_view argument);
    void setPositional(std::size_t index, std::string_view value);

    std::vector<std::string_view> m_positional;
    std::vector<std::pair<std::string_view, std::string_view>> m_named;
};

/// Returns the name that a template is looked up by: lower case, "_" as blank, without "Template:" and
/// "subst:".
std::string templateName(std::string_view call);

/// Returns the part of an argument after "name=", or all of it if it has no name.
std::string_view withoutArgumentName(std::string_view argument);

} // namespace trainyard
