#include "tests/gpu/check/check_report.h"

#include <cstdio>
#include <map>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trainyard {

namespace {

const std::map<std::string_view, const char*> kWords{
    {"pass", "PASS   "}, {"fail", "FAIL!  "}, {"skip", "SKIP   "}, {"note", "INFO   "}};

/// What `measure` returns, or the error that it ends with.
template <typename Value>
Result<Value> attempt(const std::function<Result<Value>()>& measure)
{
    try {
        return measure();
    } catch (const std::exception& problem) {
        std::string text = problem.what();
        return failed(text.substr(0, text.find('\n'))); // ATen's go on with a stack
    }
}

} // namespace

void CheckReport::error(const std::string& name, double bound, const std::function<Result<double>()>& measure)
{
    const auto found = attempt(measure);
    if (!found.ok())
        return add({name, "fail", 0, bound, found.error().text()});
    const bool isWithin = *found <= bound;
    add({name, isWithin ? "pass" : "fail", *found, bound,
         fmt::format("{:.2g} of at most {:.0e}", *found, bound)});
}

void CheckReport::holds(const std::string& name, const std::function<Status()>& check)
{
    const auto found = attempt<bool>([&]() -> Result<bool> {
        const Status status = check();
        return status.ok() ? Result<bool>(true) : Result<bool>(status.error());
    });
    add({name, found.ok() ? "pass" : "fail", 0, 0, found.ok() ? "" : found.error().text()});
}

void CheckReport::skip(const std::string& name, const std::string& why)
{
    add({name, "skip", 0, 0, why});
}

void CheckReport::note(const std::string& name, const std::string& text)
{
    add({name, "note", 0, 0, text});
}

void CheckReport::add(Line line)
{
    line.name = m_group + (m_group.empty() ? "" : ", ") + line.name;
    m_failures += std::string_view(line.outcome) == "fail";
    if (m_speaks) {
        fmt::print("{}: {}{}{}\n", kWords.at(line.outcome), line.name, line.text.empty() ? "" : ": ",
                   line.text);
        std::fflush(stdout);
    }
    m_lines.push_back(std::move(line));
}

std::string CheckReport::json() const
{
    nlohmann::ordered_json lines = nlohmann::ordered_json::array();
    for (const Line& line : m_lines)
        lines.push_back({{"name", line.name},
                         {"outcome", line.outcome},
                         {"error", line.error},
                         {"bound", line.bound},
                         {"text", line.text}});
    return lines.dump(1) + "\n";
}

} // namespace trainyard
