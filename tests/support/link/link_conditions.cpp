#include "tests/support/link/link_conditions.h"

#include <charconv>
#include <sstream>

#include <fmt/format.h>

namespace trainyard::link {

namespace {

template <typename Number>
bool readNumber(std::string_view text, Number& number)
{
    const char* end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, number);
    return failure == std::errc() && stopped == end && number >= 0;
}

bool readShare(std::string_view text, double& share)
{
    return readNumber(text, share) && share <= 1;
}

bool readTime(std::string_view text, std::chrono::microseconds& time)
{
    std::int64_t count = 0;
    if (!readNumber(text, count))
        return false;
    time = std::chrono::microseconds(count);
    return true;
}

bool readFlag(std::string_view text, bool& flag)
{
    flag = text == "1";
    return flag || text == "0";
}

bool readWord(std::string_view name, std::string_view value, LinkConditions& conditions)
{
    if (name == "delay_us")
        return readTime(value, conditions.delay);
    if (name == "jitter_us")
        return readTime(value, conditions.jitter);
    if (name == "hold_us")
        return readTime(value, conditions.hold);
    if (name == "loss")
        return readShare(value, conditions.loss);
    if (name == "corruption")
        return readShare(value, conditions.corruption);
    if (name == "duplication")
        return readShare(value, conditions.duplication);
    if (name == "reordering")
        return readShare(value, conditions.reordering);
    if (name == "rate")
        return readNumber(value, conditions.rate);
    if (name == "burst")
        return readNumber(value, conditions.burst);
    if (name == "queue")
        return readNumber(value, conditions.queue);
    return name == "blocked" && readFlag(value, conditions.blocked);
}

} // namespace

std::string toWords(const LinkConditions& conditions)
{
    const LinkConditions cable;
    std::string words;
    const auto add = [&words](const char* name, const auto& value, const auto& usual) {
        if (value != usual)
            words += fmt::format("{}{}={}", words.empty() ? "" : " ", name, value);
    };
    add("delay_us", conditions.delay.count(), cable.delay.count());
    add("jitter_us", conditions.jitter.count(), cable.jitter.count());
    add("loss", conditions.loss, cable.loss);
    add("corruption", conditions.corruption, cable.corruption);
    add("duplication", conditions.duplication, cable.duplication);
    add("reordering", conditions.reordering, cable.reordering);
    add("hold_us", conditions.hold.count(), cable.hold.count());
    add("rate", conditions.rate, cable.rate);
    add("burst", conditions.burst, cable.burst);
    add("queue", conditions.queue, cable.queue);
    add("blocked", int{conditions.blocked}, int{cable.blocked});
    return words;
}

Result<LinkConditions> parseConditions(std::string_view words)
{
    LinkConditions conditions;
    std::istringstream stream{std::string(words)};
    for (std::string word; stream >> word;) {
        const auto equals = word.find('=');
        const std::string_view text = word;
        if (equals == std::string::npos ||
            !readWord(text.substr(0, equals), text.substr(equals + 1), conditions))
            return badInput("not a condition of a link: " + word,
                            "as in: delay_us=25000 loss=0.05 rate=125000");
    }
    return conditions;
}

} // namespace trainyard::link
