#include "engine/base/check.h"
#include "remote/wire/bundle_manifest.h"
#include "tests/support/fuzz/scratch_folder.h"

using namespace trainyard;

/// A bundle's files, a line each: `<sha256> <0755|0644> <path>`. An accepted one keeps its id when it is
/// written and read again, and no path of it leaves the folder.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    std::vector<BundleFile> files;
    for (std::string_view rest = bytesOf(data, size); !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        const auto gap = line.find(' ');
        if (gap == std::string_view::npos || line.size() < gap + 6)
            continue;
        files.push_back({std::string(line.substr(gap + 6)), line.substr(gap + 1, 4) == "0755",
                         std::string(line.substr(0, gap))});
    }
    const auto manifest = canonicalManifest(files);
    if (!manifest.ok()) {
        TRAINYARD_CHECK(!manifest.error().message.empty());
        return 0;
    }
    for (const BundleFile& file : files) {
        TRAINYARD_CHECK(isBundlePath(file.path) && file.path.front() != '/');
        TRAINYARD_CHECK(file.path != ".." && !file.path.starts_with("../") && !file.path.ends_with("/..") &&
                        file.path.find("/../") == std::string::npos);
    }
    std::vector<BundleFile> reversed(files.rbegin(), files.rend());
    TRAINYARD_CHECK(canonicalManifest(reversed).value() == *manifest);
    return 0;
}
