#include "tests/support/fuzz/mutator.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace trainyard {

namespace {

constexpr std::size_t kMaxChanges = 8;
constexpr std::size_t kLongRange = 64; // bytes; most ranges are shorter

std::string unquoted(std::string_view line)
{
    std::string out;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] != '\\' || i + 1 == line.size()) {
            out += line[i];
        } else if (line[++i] == 'x' && i + 2 < line.size()) {
            unsigned char byte = 0;
            std::from_chars(line.data() + i + 1, line.data() + i + 3, byte, 16);
            out += static_cast<char>(byte);
            i += 2;
        } else {
            out += line[i];
        }
    }
    return out;
}

} // namespace

std::vector<std::string> dictionaryWords(std::string_view text)
{
    std::vector<std::string> words;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        const std::size_t open = line.find('"'), close = line.rfind('"');
        if (!line.starts_with('#') && open != std::string_view::npos && open < close)
            words.push_back(unquoted(line.substr(open + 1, close - open - 1)));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
}

Mutator::Mutator(std::uint64_t seed, std::vector<std::string> words, std::size_t longest)
    : m_random(seed), m_words(std::move(words)), m_longest(longest)
{
}

std::string Mutator::mutate(std::string input, std::string_view other)
{
    for (std::size_t changes = 1 + below(kMaxChanges); changes > 0; --changes)
        change(input, other);
    input.resize(std::min(input.size(), m_longest));
    return input;
}

void Mutator::change(std::string& input, std::string_view other)
{
    const Range range = rangeIn(input);
    const auto at = [&] { return below(std::max<std::size_t>(input.size(), 1)); };
    switch (input.empty() ? 0 : below(10)) {
    case 0:
        return putIn(input, word());
    case 1:
        input[at()] ^= static_cast<char>(1 << below(8));
        return;
    case 2:
        input[at()] = static_cast<char>(below(256));
        return;
    case 3:
        input.erase(range.begin, range.size);
        return;
    case 4:
        return putIn(input, std::string(input, range.begin, range.size));
    case 5:
        input.resize(at()); // truncated
        return;
    case 6: {
        const Range lent = rangeIn(other);
        return putIn(input, other.substr(lent.begin, lent.size));
    }
    case 7:
        input.replace(range.begin, range.size, other.substr(below(other.size() + 1)));
        return;
    case 8:
        input.replace(range.begin, std::min<std::size_t>(range.size, 4), word());
        return;
    default:
        std::reverse(input.begin() + static_cast<std::ptrdiff_t>(range.begin),
                     input.begin() + static_cast<std::ptrdiff_t>(range.begin + range.size));
    }
}

/// Somewhere, and now and then many times over.
void Mutator::putIn(std::string& input, std::string_view part)
{
    std::string all(part);
    if (below(8) == 0 && !part.empty()) {
        for (std::size_t times = below(200); times > 0 && all.size() < m_longest; --times)
            all += part;
    }
    input.insert(below(input.size() + 1), all);
}

Mutator::Range Mutator::rangeIn(std::string_view text)
{
    if (text.empty())
        return {0, 0};
    const std::size_t begin = below(text.size());
    const std::size_t longest = below(4) == 0 ? text.size() : kLongRange;
    return {begin, 1 + below(std::min(text.size() - begin, longest))};
}

std::string_view Mutator::word()
{
    if (m_words.empty())
        return "\0";
    return m_words[below(m_words.size())];
}

} // namespace trainyard
