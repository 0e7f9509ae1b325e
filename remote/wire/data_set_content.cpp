#include "remote/wire/data_set_content.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/base/json_problem.h"
#include "remote/wire/bundle_manifest.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr const char* kManifestFile = "manifest.json"; // datasets/shards/manifest.h
constexpr std::size_t kDigitsInName = 12;
constexpr std::size_t kMaxName = 64;

std::vector<DataSetFile> namedIn(const nlohmann::json& manifest)
{
    std::vector<DataSetFile> files;
    const auto add = [&](const std::string& path, const std::string& sha256) {
        files.push_back({path, 0, sha256});
    };
    add(manifest.at("vocabulary_file"), manifest.at("vocabulary_sha256"));
    if (const auto tokenizer = manifest.find("tokenizer"); tokenizer != manifest.end()) {
        for (const auto& [file, sha256] : tokenizer->at("files").items())
            add(file, sha256);
    }
    for (const auto& shard : manifest.at("shards"))
        add(shard.at("file"), shard.at("sha256"));
    for (const auto& exported : manifest.value("exports", nlohmann::json::array()))
        add(exported.at("file"), exported.at("sha256"));
    if (const auto task = manifest.find("task"); task != manifest.end())
        if (const std::string questions = task->value("questions_file", std::string()); !questions.empty())
            add(questions, task->value("questions_sha256", std::string()));
    return files;
}

Status complete(const fs::path& folder, DataSetFile& file)
{
    if (!isBundlePath(file.path))
        return badInput((folder / kManifestFile).string() + ": \"" + file.path.substr(0, 100) +
                        "\" is not the name of a file in its folder");
    const fs::path path = folder / file.path;
    std::error_code error;
    file.bytes = fs::file_size(path, error);
    if (error)
        return badInput(path.string() + ", which the manifest names, cannot be read: " + error.message(),
                        "`trainyard verify` checks the whole data set");
    if (file.sha256.empty()) {
        TRAINYARD_TRY(file.sha256, sha256OfFile(path));
    }
    if (!isSha256(file.sha256))
        return badInput((folder / kManifestFile).string() + ": the hash of " + file.path +
                        " is not 64 lower-case hex digits");
    return {};
}

bool isSafeCharacter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

} // namespace

std::uint64_t DataSetContent::bytes() const
{
    std::uint64_t all = 0;
    for (const DataSetFile& file : files)
        all += file.bytes;
    return all;
}

Result<std::vector<DataSetFile>> filesNamedIn(const std::string& manifest, const std::string& name)
{
    try {
        return namedIn(nlohmann::json::parse(manifest));
    } catch (const nlohmann::json::exception& problem) {
        return badInput(name + ": " + jsonProblem(problem, manifest), "prepare the data set again");
    }
}

Result<DataSetContent> readDataSetContent(const fs::path& folder)
{
    const fs::path manifest = folder / kManifestFile;
    const auto text = readFile(manifest);
    if (!text.ok())
        return badInput(text.error().message,
                        "the folder is not a finished data set; `trainyard prepare` makes one");
    DataSetContent content;
    TRAINYARD_TRY(content.files, filesNamedIn(*text, manifest.string()));
    if (content.files.size() >= kMaxDataSetFiles)
        return refused(fmt::format("{} names {} files; at most {} can be sent", manifest.string(),
                                   content.files.size(), kMaxDataSetFiles - 1),
                       "prepare it with fewer shards");
    for (DataSetFile& file : content.files)
        TRAINYARD_TRY_STATUS(complete(folder, file));
    content.id = sha256Hex(*text);
    content.files.push_back({kManifestFile, text->size(), content.id});
    return content;
}

std::string dataSetFolderName(std::string_view name, std::string_view id)
{
    const std::string end = '-' + std::string(id.substr(0, kDigitsInName));
    if (name.ends_with(end)) // it was sent before
        name.remove_suffix(end.size());
    std::string safe(name.substr(0, kMaxName));
    std::replace_if(
        safe.begin(), safe.end(), [](char c) { return !isSafeCharacter(c); }, '_');
    if (safe.empty() || safe[0] == '-')
        safe.insert(0, "data");
    return safe + end;
}

} // namespace trainyard
