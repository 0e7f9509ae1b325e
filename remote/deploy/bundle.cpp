#include "remote/deploy/bundle.h"

#include <algorithm>

#include <QByteArray>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/base/json_problem.h"
#include "remote/target/programs.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr const char* kManifest = "manifest.json";
constexpr const char* kMakeOne = "build one with packaging/bundle";

Result<BundleEntry> readEntry(const fs::path& folder, const nlohmann::json& json)
{
    BundleEntry entry;
    entry.path = json.at("path").get<std::string>();
    entry.executable = json.at("mode").get<std::string>() == "0755";
    entry.sha256 = json.at("sha256").get<std::string>();
    entry.size = json.at("size").get<std::uint64_t>();
    entry.forCuda = json.value("cuda", false);
    entry.forTables = json.value("tables", false);
    if (!isBundlePath(entry.path))
        return badInput(fmt::format("the path \"{}\" leads out of the bundle", entry.path), kMakeOne);
    entry.source = folder / entry.path;
    std::error_code missing;
    const auto size = fs::file_size(entry.source, missing);
    if (missing)
        return badInput(fmt::format("{} is missing", entry.source.string()), kMakeOne);
    if (size != entry.size)
        return badInput(fmt::format("{} has {} bytes instead of {}", entry.source.string(), size, entry.size),
                        kMakeOne);
    return entry;
}

Result<Bundle> readBundle(const fs::path& folder, const nlohmann::json& json)
{
    Bundle bundle;
    bundle.version = json.at("version").get<std::string>();
    for (const auto& file : json.at("files")) {
        TRAINYARD_TRY(BundleEntry entry, readEntry(folder, file));
        bundle.files.push_back(std::move(entry));
    }
    std::sort(bundle.files.begin(), bundle.files.end(),
              [](const auto& a, const auto& b) { return a.path < b.path; });
    TRAINYARD_TRY(bundle.id, bundleId({bundle.files.begin(), bundle.files.end()}));
    return bundle;
}

} // namespace

std::uint64_t Bundle::totalBytes() const
{
    std::uint64_t bytes = 0;
    for (const auto& file : files)
        bytes += file.size;
    return bytes;
}

Bundle Bundle::with(BundleParts parts) const
{
    Bundle rest = *this;
    std::erase_if(rest.files, [parts](const BundleEntry& file) {
        return (file.forCuda && !parts.cuda) || (file.forTables && !parts.tables);
    });
    rest.id = bundleId({rest.files.begin(), rest.files.end()}).value();
    return rest;
}

Result<Bundle> Bundle::load(const fs::path& folder, const std::string& expectedVersion)
{
    const fs::path manifest = folder / kManifest;
    TRAINYARD_TRY(const std::string text, readFile(manifest));
    Result<Bundle> bundle = failed("not read");
    try {
        bundle = readBundle(folder, nlohmann::json::parse(text));
    } catch (const nlohmann::json::exception& error) {
        return badInput(fmt::format("{}: {}", manifest.string(), jsonProblem(error, text)), kMakeOne);
    }
    if (!bundle.ok())
        return bundle.error().in(manifest.string());
    if (bundle->version != expectedVersion)
        return refused(fmt::format("the engine bundle {} has version {}, but Trainyard here has {}",
                                   folder.string(), bundle->version, expectedVersion),
                       "rebuild it with packaging/bundle");
    return bundle;
}

Result<fs::path> findBundleFolder()
{
    if (const QByteArray set = qgetenv("TRAINYARD_BUNDLE"); !set.isEmpty())
        return fs::path(set.toStdString());
    const fs::path programs = programFolder().toStdString();
    for (const fs::path& folder : {programs / "bundle", programs.parent_path() / "bundle"}) {
        std::error_code missing;
        if (fs::exists(folder / kManifest, missing))
            return folder;
    }
    return refused("there is no engine bundle to upload to other hosts",
                   kMakeOne + std::string(", or set TRAINYARD_BUNDLE"));
}

} // namespace trainyard
