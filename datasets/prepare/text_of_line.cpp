#include "datasets/prepare/text_of_line.h"

#include <nlohmann/json.hpp>

#include "engine/base/parsed_number.h"
#include "engine/base/utf8.h"

namespace trainyard {

namespace {

/// Reads what most lines are, an object with nothing but the text, several times faster than a parser of all
/// of JSON. Gives up on anything else, valid or not.
class PlainLine {
public:
    explicit PlainLine(std::string_view line) : m_rest(line) {}

    std::optional<std::string> text()
    {
        if (!takes("{") || !takes("\"text\"") || !takes(":") || !takes("\"") || !string() || !takes("}"))
            return std::nullopt;
        skipBlanks();
        return m_rest.empty() && isUtf8(m_text) ? std::optional(std::move(m_text)) : std::nullopt;
    }

private:
    void skipBlanks() { m_rest.remove_prefix(std::min(m_rest.find_first_not_of(" \t\r\n"), m_rest.size())); }

    bool takes(std::string_view sign)
    {
        skipBlanks();
        if (!m_rest.starts_with(sign))
            return false;
        m_rest.remove_prefix(sign.size());
        return true;
    }

    /// What follows the opening quote, with the closing one.
    bool string()
    {
        for (;;) {
            std::size_t plain = 0;
            while (plain < m_rest.size() && m_rest[plain] != '"' && m_rest[plain] != '\\' &&
                   static_cast<unsigned char>(m_rest[plain]) >= ' ')
                ++plain;
            m_text += m_rest.substr(0, plain);
            m_rest.remove_prefix(plain);
            if (m_rest.starts_with('"')) {
                m_rest.remove_prefix(1);
                return true;
            }
            if (!escape())
                return false;
        }
    }

    bool escape()
    {
        constexpr std::string_view kSigns = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
        if (m_rest.size() < 2 || m_rest[0] != '\\')
            return false;
        if (m_rest[1] == 'u')
            return unicodeEscape();
        const auto place = kSigns.find(m_rest[1]);
        if (place == kSigns.npos)
            return false;
        m_text += kMeant[place];
        m_rest.remove_prefix(2);
        return true;
    }

    bool unicodeEscape()
    {
        const auto high = takeUnit();
        if (!high || (*high >= 0xDC00 && *high < 0xE000))
            return false;
        char32_t code = *high;
        if (code >= 0xD800 && code < 0xDC00) {
            const auto low = takeUnit();
            if (!low || *low < 0xDC00 || *low >= 0xE000)
                return false;
            code = 0x10000 + ((code - 0xD800) << 10) + (*low - 0xDC00);
        }
        appendUtf8(m_text, code);
        return true;
    }

    /// \uXXXX.
    std::optional<char32_t> takeUnit()
    {
        if (m_rest.size() < 6 || !m_rest.starts_with("\\u"))
            return std::nullopt;
        const auto unit = parsedNumber<std::uint32_t>(m_rest.substr(2, 4), 16);
        m_rest.remove_prefix(6);
        return unit;
    }

    std::string_view m_rest;
    std::string m_text;
};

} // namespace

std::optional<std::string> textOfLine(std::string_view line)
{
    if (auto text = PlainLine(line).text())
        return text;
    auto item = nlohmann::json::parse(line, nullptr, false);
    const bool fine = item.is_object() && item.contains("text") && item["text"].is_string();
    return fine ? std::optional(std::move(item["text"].get_ref<std::string&>())) : std::nullopt;
}

} // namespace trainyard
