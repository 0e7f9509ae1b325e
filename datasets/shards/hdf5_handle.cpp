#include "datasets/shards/hdf5_handle.h"

#include <cerrno>
#include <cstdlib>
#include <string_view>

namespace trainyard {

Hdf5Handle& Hdf5Handle::operator=(Hdf5Handle&& other) noexcept
{
    if (this != &other) {
        close();
        m_id = std::exchange(other.m_id, -1);
        m_close = other.m_close;
    }
    return *this;
}

bool Hdf5Handle::close()
{
    const hid_t id = std::exchange(m_id, -1);
    return id < 0 || m_close(id) >= 0;
}

void silenceHdf5()
{
    // Its handler at exit crashes over a file that could not be closed because the disk was full (1.10.8).
    // All handles are closed by their owners.
    static const herr_t ignored = H5dont_atexit();
    static_cast<void>(ignored);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

namespace {

herr_t takeDescription(unsigned depth, const H5E_error2_t* entry, void* out)
{
    if (depth == 0 && entry->desc)
        *static_cast<std::string*>(out) = entry->desc;
    return 0;
}

/// HDF5's file driver writes "..., errno = 28, error message = ..." into its description.
int errnoIn(const std::string& description)
{
    constexpr std::string_view marker = "errno = ";
    const auto at = description.find(marker);
    return at == std::string::npos ? 0 : std::atoi(description.c_str() + at + marker.size());
}

} // namespace

Error hdf5Error(ErrorKind kind, const std::string& what)
{
    std::string description;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, takeDescription, &description);
    if (const int number = errnoIn(description)) {
        Error error = systemError(kind, what, number);
        if (number == ENOSPC)
            error.hint = "free space on that disk or choose another folder";
        return error;
    }
    return {kind, description.empty() ? what : what + ": " + description, {}};
}

} // namespace trainyard
