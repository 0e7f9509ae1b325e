#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <string.h>

namespace trainyard::ssh {

/// A passphrase: never printed, never copied, overwritten when it goes.
class Secret {
public:
    explicit Secret(std::string_view text) : m_text(text) {}
    Secret(Secret&& other) noexcept : m_text(other.m_text) { other.wipe(); }
    Secret& operator=(Secret&& other) noexcept
    {
        if (this != &other) {
            wipe();
            m_text = other.m_text;
            other.wipe();
        }
        return *this;
    }
    ~Secret() { wipe(); }

    const char* c_str() const { return m_text.c_str(); }

private:
    void wipe()
    {
        ::explicit_bzero(m_text.data(), m_text.size());
        m_text.clear();
    }

    std::string m_text;
};

} // namespace trainyard::ssh
