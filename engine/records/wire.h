#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace trainyard {

static_assert(std::endian::native == std::endian::little,
              "the journal and the agent's wire are little-endian");

/// Appends fixed-width little-endian values and length-prefixed strings to a buffer.
class WireWriter {
public:
    explicit WireWriter(std::string& out) : m_out(out) {}

    template <typename Number>
    void number(Number value)
    {
        static_assert(std::is_arithmetic_v<Number> || std::is_enum_v<Number>);
        m_out.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void text(std::string_view value)
    {
        number(static_cast<std::uint32_t>(value.size()));
        m_out.append(value);
    }

private:
    std::string& m_out;
};

/// Reads what WireWriter wrote. Past the end every read gives zero or empty and ok() turns false, so a caller
/// checks once at the end. A text never claims more bytes than there are.
class WireReader {
public:
    explicit WireReader(std::string_view in) : m_in(in) {}

    template <typename Number>
    Number number()
    {
        Number value{};
        if (m_in.size() < sizeof value) {
            fail();
            return value;
        }
        std::memcpy(&value, m_in.data(), sizeof value);
        m_in.remove_prefix(sizeof value);
        return value;
    }
    std::string text()
    {
        const auto size = number<std::uint32_t>();
        if (size > m_in.size()) {
            fail();
            return {};
        }
        std::string value(m_in.substr(0, size));
        m_in.remove_prefix(size);
        return value;
    }
    /// The caller found an impossible value; reading stops.
    void fail()
    {
        m_ok = false;
        m_in = {};
    }
    std::size_t left() const { return m_in.size(); }
    bool ok() const { return m_ok; }

private:
    std::string_view m_in;
    bool m_ok = true;
};

} // namespace trainyard
