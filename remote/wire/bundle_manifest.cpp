#include "remote/wire/bundle_manifest.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/base/hash.h"

namespace trainyard {

namespace {

Status checkFile(const BundleFile& file)
{
    if (!isBundlePath(file.path))
        return badInput(
            fmt::format("the bundle's path \"{}\" is not a relative path of plain names", file.path));
    if (!isSha256(file.sha256))
        return badInput(fmt::format("the hash of {} is not 64 lower-case hex digits", file.path));
    return {};
}

/// "bin" and "bin/tool" cannot both be files; neither can "bin" come twice. `next` sorts at or after `file`.
bool collides(const BundleFile& file, const BundleFile& next)
{
    return next.path == file.path || next.path.starts_with(file.path + "/");
}

} // namespace

bool isSha256(std::string_view text)
{
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool isBundlePath(std::string_view path)
{
    while (true) {
        const auto slash = path.find('/');
        if (!isPlainName(path.substr(0, slash)))
            return false;
        if (slash == std::string_view::npos)
            return true;
        path.remove_prefix(slash + 1);
    }
}

Result<std::string> canonicalManifest(std::vector<BundleFile> files)
{
    if (files.empty())
        return badInput("the bundle has no files");
    std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
    std::string text;
    for (std::size_t i = 0; i < files.size(); ++i) {
        TRAINYARD_TRY_STATUS(checkFile(files[i]));
        // Names such as "bin-x" sort between "bin" and "bin/tool", so every later path that shares the prefix
        // counts.
        for (std::size_t j = i + 1; j < files.size() && files[j].path.starts_with(files[i].path); ++j) {
            if (collides(files[i], files[j]))
                return badInput(fmt::format("the bundle's paths {} and {} conflict with each other",
                                            files[i].path, files[j].path));
        }
        text +=
            fmt::format("{} {} {}\n", files[i].sha256, files[i].executable ? "0755" : "0644", files[i].path);
    }
    return text;
}

Result<std::string> bundleId(std::vector<BundleFile> files)
{
    TRAINYARD_TRY(const std::string manifest, canonicalManifest(std::move(files)));
    return sha256Hex(manifest);
}

} // namespace trainyard
