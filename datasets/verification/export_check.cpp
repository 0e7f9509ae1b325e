#include "datasets/verification/export_check.h"

#include <fmt/format.h>

#include "engine/base/hash.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

std::optional<std::string> problemWith(const fs::path& path, const ExportEntry& entry)
{
    std::error_code error;
    const std::uint64_t bytes = fs::file_size(path, error);
    if (error)
        return "cannot be read: " + error.message();
    if (bytes != entry.bytes)
        return fmt::format("{} bytes, the manifest says {}", bytes, entry.bytes);
    const auto digest = sha256OfFile(path);
    if (!digest.ok())
        return digest.error().message;
    if (digest.value() != entry.sha256)
        return "its SHA-256 differs from the manifest; the file was changed or damaged";
    return std::nullopt;
}

} // namespace

std::vector<Violation> checkExports(const fs::path& folder, const Manifest& manifest)
{
    std::vector<Violation> violations;
    for (const ExportEntry& entry : manifest.exports) {
        if (auto problem = problemWith(folder / entry.file, entry))
            violations.push_back({Invariant::Hashes, entry.file, std::nullopt, std::move(*problem)});
    }
    return violations;
}

} // namespace trainyard
