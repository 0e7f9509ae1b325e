#include "tests/support/bundle/small_bundle.h"

#include <cstring>
#include <random>

#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/base/hash.h"

namespace trainyard::support {

void writeBundle(const std::filesystem::path& folder, const std::vector<BundleContent>& files,
                 const std::string& version)
{
    nlohmann::json manifest{{"version", version}, {"files", nlohmann::json::array()}};
    for (const auto& file : files) {
        const auto path = folder / file.path;
        TRAINYARD_CHECK(makeFolder(path.parent_path()).ok());
        TRAINYARD_CHECK(writeFileAtomically(path, file.bytes).ok());
        manifest["files"].push_back({{"path", file.path},
                                     {"mode", file.executable ? "0755" : "0644"},
                                     {"size", file.bytes.size()},
                                     {"sha256", sha256Hex(file.bytes)}});
        if (file.forCuda)
            manifest["files"].back()["cuda"] = true;
        if (file.forTables)
            manifest["files"].back()["tables"] = true;
    }
    TRAINYARD_CHECK(writeFileAtomically(folder / "manifest.json", manifest.dump(2)).ok());
}

std::string noise(std::size_t size, unsigned seed)
{
    std::mt19937_64 random(seed);
    std::string bytes((size + 7) / 8 * 8, '\0');
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
        const std::uint64_t value = random();
        std::memcpy(bytes.data() + at, &value, sizeof value);
    }
    bytes.resize(size);
    return bytes;
}

} // namespace trainyard::support
