#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace trainyard {

/// The variables of a shell script, as far as its text gives their values. Commands are not run and
/// arithmetic is not done.
class ShellVariables {
public:
    /// Takes `NAME=value`; false when the word is no assignment.
    bool assign(std::string_view word);
    /// The word with `$NAME`, `${NAME}` and `${NAME:-default}` replaced. A list, `${NAME[@]}`, becomes
    /// nothing; what the text does not say stays as it stands, and so does a word that would grow by more
    /// than the longest value, 4096 characters.
    std::string expanded(std::string_view word) const;

private:
    /// Nothing where the word would grow too long.
    std::optional<std::string> substituted(std::string_view word) const;

    std::map<std::string, std::string, std::less<>> m_values;
};

} // namespace trainyard
