#pragma once

#include <cstddef>
#include <string_view>

namespace trainyard::ssh {

/// A passphrase or a password: never printed, never copied by accident. Its bytes lie on a page of their own
/// that is locked into memory (where the limit allows it), left out of core dumps and not given to child
/// processes, and are overwritten when it goes. While there is one, this process writes no core file. Any
/// thread may own it; one at a time.
class Secret {
public:
    /// Copies the text, at most kLongest bytes of it; wipe the source yourself (see wipe()).
    explicit Secret(std::string_view text);
    Secret(Secret&& other) noexcept;
    Secret& operator=(Secret&& other) noexcept;
    ~Secret();

    static constexpr std::size_t kLongest = 4095;

    /// The same secret once more, on a page of its own.
    Secret clone() const { return Secret(view()); }
    const char* c_str() const { return m_page; }
    std::string_view view() const { return {m_page, m_size}; }

private:
    void release();

    char* m_page = nullptr; ///< never null but after a move
    std::size_t m_size = 0;
};

/// Overwrites bytes in a way that the compiler does not leave out.
void wipe(void* bytes, std::size_t size);

} // namespace trainyard::ssh
