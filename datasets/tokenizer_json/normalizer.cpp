#include "datasets/tokenizer_json/normalizer.h"

#include "datasets/tokenizer_json/white_space.h"
#include "engine/base/utf8.h"

namespace trainyard {

std::string_view Normalizer::apply(std::string_view text, std::string& buffer) const
{
    for (const Step& step : m_steps) {
        buffer = step(text);
        text = buffer;
    }
    return text;
}

std::string replaced(const Pattern& pattern, std::string_view content, std::string_view text)
{
    std::string out;
    std::size_t done = 0;
    while (const auto match = pattern.find(text, done)) {
        out.append(text.substr(done, match->begin - done)).append(content);
        done = match->end;
    }
    return out.append(text.substr(done));
}

std::string stripped(bool left, bool right, std::string_view text)
{
    if (left)
        text.remove_prefix(whiteSpaceAtStart(text));
    if (right)
        text.remove_suffix(whiteSpaceAtEnd(text));
    return std::string(text);
}

std::string without(const CodePointSet& set, std::string_view text)
{
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Char c = decodeUtf8(text, at);
        if (!set.contains(c.code))
            out += text.substr(at, c.bytes);
        at += c.bytes;
    }
    return out;
}

} // namespace trainyard
