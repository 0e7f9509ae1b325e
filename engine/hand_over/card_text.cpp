#include "engine/hand_over/card_text.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/counted.h"
#include "engine/base/untrusted_text.h"

namespace trainyard::card {

std::string grouped(std::uint64_t value)
{
    std::string text = std::to_string(value);
    for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
        text.insert(static_cast<std::size_t>(at), 1, ',');
    return text;
}

std::string grouped(std::int64_t value)
{
    return grouped(static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0)));
}

std::string groupedCount(std::int64_t count, std::string_view noun)
{
    return grouped(count) + ' ' + nounFor(static_cast<std::uint64_t>(count), noun);
}

std::string plain(std::string_view text)
{
    std::string out;
    for (const char c : sanitizeText(text)) {
        if (std::string_view("\\`*_{}[]<>#|!~").find(c) != std::string_view::npos)
            out += '\\';
        out += c;
    }
    return out;
}

std::string table(const std::vector<std::string>& head, const Rows& rows)
{
    const auto line = [](const std::vector<std::string>& cells) {
        return fmt::format("| {} |\n", fmt::join(cells, " | "));
    };
    std::string text = line(head) + line(std::vector<std::string>(head.size(), "---"));
    for (const auto& row : rows)
        text += line(row);
    return text;
}

} // namespace trainyard::card
