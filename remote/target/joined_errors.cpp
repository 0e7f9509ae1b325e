#include "remote/target/joined_errors.h"

#include <algorithm>

#include <fmt/format.h>

namespace trainyard {

namespace {

void addOnce(std::vector<std::string>& texts, const std::string& text)
{
    if (!text.empty() && std::ranges::find(texts, text) == texts.end())
        texts.push_back(text);
}

} // namespace

Status joinedErrors(const std::vector<Error>& errors, int hosts)
{
    if (errors.empty())
        return {};
    const auto notCancelled = [](const Error& error) { return error.kind != ErrorKind::Cancelled; };
    const auto first = std::ranges::find_if(errors, notCancelled);
    if (first == errors.end())
        return errors.front();
    std::vector<std::string> messages, hints;
    for (const Error& error : errors) {
        addOnce(messages, error.message);
        addOnce(hints, error.hint);
    }
    const std::string count =
        errors.size() > 1 ? fmt::format("{} of {} hosts: ", errors.size(), hosts) : std::string();
    return Error{first->kind, count + fmt::format("{}", fmt::join(messages, "; ")),
                 fmt::format("{}", fmt::join(hints, "; "))};
}

} // namespace trainyard
