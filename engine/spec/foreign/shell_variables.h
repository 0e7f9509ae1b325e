#pragma once

#include <map>
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
    /// nothing; what the text does not say stays as it stands.
    std::string expanded(std::string_view word) const;

private:
    std::map<std::string, std::string, std::less<>> m_values;
};

} // namespace trainyard
