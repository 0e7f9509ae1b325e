#pragma once

#include <hdf5.h>
#include <string>
#include <utility>

#include "engine/base/result.h"

namespace trainyard {

/// Owns an HDF5 identifier and closes it with the function that fits its kind.
class Hdf5Handle {
public:
    using Close = herr_t (*)(hid_t);

    Hdf5Handle() = default;
    Hdf5Handle(hid_t id, Close close) : m_id(id), m_close(close) {}
    Hdf5Handle(Hdf5Handle&& other) noexcept : m_id(std::exchange(other.m_id, -1)), m_close(other.m_close) {}
    Hdf5Handle& operator=(Hdf5Handle&& other) noexcept;
    ~Hdf5Handle() { close(); }

    hid_t get() const { return m_id; }
    bool valid() const { return m_id >= 0; }
    /// Returns false if HDF5 could not write its buffered data.
    bool close();

private:
    hid_t m_id = -1;
    Close m_close = nullptr;
};

/// Silences the error stack that HDF5 prints on stderr, for the calling thread.
void silenceHdf5();

/// Returns the reason of the last HDF5 failure of this thread, from the bottom of the HDF5 error stack. A
/// full disk is recognised and gets a hint.
Error hdf5Error(ErrorKind kind, const std::string& what);

} // namespace trainyard
