#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trainyard {

/// Token ids as stored: 16 bits each if the vocabulary allows it, else 32. A view; the ids must outlive it.
class TokenSpan {
public:
    TokenSpan() = default;
    TokenSpan(std::span<const std::int32_t> ids) : m_wide(ids.data()), m_size(ids.size()) {}
    TokenSpan(std::span<const std::uint16_t> ids) : m_narrow(ids.data()), m_size(ids.size()) {}
    TokenSpan(const std::vector<std::int32_t>& ids) : TokenSpan(std::span(ids)) {}

    std::size_t size() const { return m_size; }
    std::int32_t operator[](std::size_t index) const { return m_narrow ? m_narrow[index] : m_wide[index]; }
    TokenSpan subspan(std::size_t first, std::size_t count) const
    {
        TokenSpan part;
        part.m_narrow = m_narrow ? m_narrow + first : nullptr;
        part.m_wide = m_wide ? m_wide + first : nullptr;
        part.m_size = count;
        return part;
    }

    /// Writes all ids to out[0 .. size() - 1].
    void copyTo(std::int32_t* out) const
    {
        if (m_narrow)
            std::copy_n(m_narrow, m_size, out);
        else
            std::copy_n(m_wide, m_size, out);
    }
    void appendTo(std::vector<std::int32_t>& ids) const
    {
        ids.resize(ids.size() + m_size);
        copyTo(ids.data() + ids.size() - m_size);
    }

private:
    const std::uint16_t* m_narrow = nullptr;
    const std::int32_t* m_wide = nullptr; ///< one of the two, null when empty
    std::size_t m_size = 0;
};

} // namespace trainyard
