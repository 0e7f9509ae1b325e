#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "engine/base/result.h"

namespace trainyard {

/// A whole file as memory that is read in as it is touched; what is added to the file later is not seen.
class MappedFile {
public:
    /// BadInput when the file is missing or unreadable.
    static Result<std::shared_ptr<const MappedFile>> open(const std::filesystem::path& file);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    std::string_view bytes() const { return m_bytes; }
    /// Gives back the whole pages within these bytes of a mapped file; they are read in again when they are
    /// touched. Any thread.
    static void letGo(const void* start, std::size_t bytes);

private:
    explicit MappedFile(std::string_view bytes) : m_bytes(bytes) {}

    std::string_view m_bytes;
};

} // namespace trainyard
