#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "engine/base/result.h"

namespace trainyard {

/// A file mapped into memory and loaded on access; does not see data appended later.
class MappedFile {
public:
    /// BadInput if the file is missing or unreadable.
    static Result<std::shared_ptr<const MappedFile>> open(const std::filesystem::path& file);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    std::string_view bytes() const { return m_bytes; }
    /// Releases the pages that are fully within these bytes of a mapped file; the next access loads them
    /// again. Any thread.
    static void releasePages(const void* start, std::size_t bytes);

private:
    explicit MappedFile(std::string_view bytes) : m_bytes(bytes) {}

    std::string_view m_bytes;
};

} // namespace trainyard
