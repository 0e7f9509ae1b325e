#pragma once

#include <filesystem>
#include <string_view>

#include "engine/base/result.h"

namespace trainyard {

/// A whole file mapped for reading; its bytes may be read by any thread.
class MappedFile {
public:
    MappedFile() = default;
    static Result<MappedFile> open(const std::filesystem::path& path);
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;
    ~MappedFile();

    std::string_view bytes() const { return m_bytes; }
    /// Releases the pages read so far from the memory of the process; reading them again maps them again. Any
    /// thread, also while others read.
    void forget() const;

private:
    std::string_view m_bytes;
};

} // namespace trainyard
