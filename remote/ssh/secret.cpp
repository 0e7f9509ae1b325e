#include "remote/ssh/secret.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "engine/base/check.h"

namespace trainyard::ssh {

namespace {

constexpr std::size_t kPageBytes = Secret::kLongest + 1;

/// The limit of core files is one of the process, so all secrets count on one counter.
class CoreFiles {
public:
    static CoreFiles& ofThisProcess()
    {
        static CoreFiles files;
        return files;
    }
    void forbid()
    {
        const std::lock_guard lock(m_mutex);
        if (m_holders++ > 0 || ::getrlimit(RLIMIT_CORE, &m_before) != 0)
            return;
        // 1 is the only limit that a core_pattern with a pipe heeds, and too little for a file as well.
        const rlimit none{std::min<rlim_t>(1, m_before.rlim_max), m_before.rlim_max};
        ::setrlimit(RLIMIT_CORE, &none);
    }
    void allow()
    {
        const std::lock_guard lock(m_mutex);
        if (--m_holders == 0)
            ::setrlimit(RLIMIT_CORE, &m_before);
    }

private:
    std::mutex m_mutex;
    int m_holders = 0;
    rlimit m_before{};
};

char* takePage()
{
    void* page = ::mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    TRAINYARD_CHECK(page != MAP_FAILED);
    // Each of these may be refused (a small RLIMIT_MEMLOCK, an old kernel); the rest still helps.
    ::mlock(page, kPageBytes);
    ::madvise(page, kPageBytes, MADV_DONTDUMP);
    ::madvise(page, kPageBytes, MADV_WIPEONFORK);
    return static_cast<char*>(page);
}

} // namespace

void wipe(void* bytes, std::size_t size)
{
    ::explicit_bzero(bytes, size);
}

Secret::Secret(std::string_view text) : m_page(takePage()), m_size(std::min(text.size(), kLongest))
{
    CoreFiles::ofThisProcess().forbid();
    std::copy_n(text.data(), m_size, m_page); // the page came zeroed, so the text ends with NUL
}

Secret::Secret(Secret&& other) noexcept
    : m_page(std::exchange(other.m_page, nullptr)), m_size(std::exchange(other.m_size, 0))
{
}

Secret& Secret::operator=(Secret&& other) noexcept
{
    if (this != &other) {
        release();
        m_page = std::exchange(other.m_page, nullptr);
        m_size = std::exchange(other.m_size, 0);
    }
    return *this;
}

Secret::~Secret()
{
    release();
}

void Secret::release()
{
    if (!m_page)
        return;
    wipe(m_page, kPageBytes);
    ::munmap(m_page, kPageBytes);
    m_page = nullptr;
    CoreFiles::ofThisProcess().allow();
}

} // namespace trainyard::ssh
