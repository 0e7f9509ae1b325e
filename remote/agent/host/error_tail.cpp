#include "remote/agent/host/error_tail.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include "engine/base/units.h"

namespace trainyard::agent {

namespace {

constexpr std::size_t kMaxTail = 4 * kKiB;

} // namespace

ErrorTail::ErrorTail(FileDescriptor pipe) : m_pipe(std::move(pipe))
{
    ::fcntl(m_pipe.get(), F_SETFL, O_NONBLOCK);
}

void ErrorTail::read()
{
    std::array<char, kMaxTail> buffer;
    while (m_pipe.valid()) {
        const ssize_t got = ::read(m_pipe.get(), buffer.data(), buffer.size());
        if (got > 0) {
            m_text.append(buffer.data(), static_cast<std::size_t>(got));
            m_text.erase(0, m_text.size() - std::min(m_text.size(), kMaxTail));
        } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
            m_pipe.reset(); // poll() would not wait on it any more
        } else if (errno == EAGAIN) {
            return;
        }
    }
}

std::string ErrorTail::lastLine() const
{
    std::string text = m_text;
    text.erase(text.find_last_not_of(" \t\r\n") + 1);
    return text.substr(text.rfind('\n') + 1);
}

} // namespace trainyard::agent
