#pragma once

#include <cstddef>
#include <string_view>

namespace trainyard::ssh {

/// A passphrase or a password: never printed, never copied implicitly. Its bytes are on a separate page that
/// is locked into memory (where the limit allows it), excluded from core dumps and from child processes, and
/// overwritten on destruction. While a secret exists, this process writes no core file. Any thread may own
/// it; one at a time.
class Secret {
public:
    /// Copies at most kLongest bytes of the text; wipe the source yourself (see wipe()).
    explicit Secret(std::string_view text);
    Secret(Secret&& other) noexcept;
    Secret& operator=(Secret&& other) noexcept;
    ~Secret();

    static constexpr std::size_t kLongest = 4095;

    /// Returns a copy of the secret on a separate page.
    Secret clone() const { return Secret(view()); }
    const char* c_str() const { return m_page; }
    std::string_view view() const { return {m_page, m_size}; }

private:
    void release();

    char* m_page = nullptr; ///< never null but after a move
    std::size_t m_size = 0;
};

/// Overwrites bytes in a way that the compiler cannot remove.
void wipe(void* bytes, std::size_t size);

} // namespace trainyard::ssh
