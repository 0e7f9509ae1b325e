#include "engine/checkpoint/format/checkpoint_name.h"

#include <charconv>
#include <regex>

#include <fmt/format.h>

namespace trainyard {

namespace {

const std::regex& pattern()
{
    static const std::regex name(
        "step-([0-9]{9,18})(\\.line-([1-9][0-9]{0,8}))?(\\.damaged(-([1-9][0-9]{0,8}))?)?");
    return name;
}

template <typename Number>
Number numberIn(const std::csub_match& match, Number otherwise)
{
    Number number = otherwise;
    if (match.matched)
        std::from_chars(match.first, match.second, number);
    return number;
}

} // namespace

std::string CheckpointName::text() const
{
    std::string name = fmt::format("step-{:09}", step.value);
    if (line > 0)
        name += fmt::format(".line-{}", line);
    if (damaged > 0)
        name += damaged == 1 ? ".damaged" : fmt::format(".damaged-{}", damaged);
    return name;
}

std::optional<CheckpointName> CheckpointName::parse(std::string_view text)
{
    std::cmatch match;
    if (!std::regex_match(text.data(), text.data() + text.size(), match, pattern()))
        return std::nullopt;
    CheckpointName name;
    name.step = Step{numberIn<std::int64_t>(match[1], 0)};
    name.line = numberIn(match[3], 0);
    if (match[4].matched)
        name.damaged = numberIn(match[6], 1);
    return name.text() == text ? std::optional(name) : std::nullopt;
}

} // namespace trainyard
