#include "datasets/input/corpus_folder.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/base/json_problem.h"

namespace trainyard {

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

enum class Split { None, Training, Other };

/// The last word that names a split, of the path below the folder: data/train-00000-of-00002.parquet.
Split splitOf(const std::string& path)
{
    constexpr std::array kTraining{"train", "training"};
    constexpr std::array kOther{"test", "testing", "validation", "valid", "val", "dev", "eval", "evaluation"};
    Split split = Split::None;
    std::string word;
    for (const char c : path + "/") {
        if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
            word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            continue;
        }
        if (std::ranges::find(kTraining, word) != kTraining.end())
            split = Split::Training;
        else if (std::ranges::find(kOther, word) != kOther.end())
            split = Split::Other;
        word.clear();
    }
    return split;
}

bool isCorpusFile(const std::string& name)
{
    std::string_view stem = name;
    for (const std::string_view compressed : {".gz", ".zst", ".bz2"}) {
        if (stem.ends_with(compressed))
            stem.remove_suffix(compressed.size());
    }
    const bool isTable = name.ends_with(".parquet") || name.ends_with(".arrow");
    // Other .json files describe the data set.
    const bool isText = stem.ends_with(".jsonl") || (stem.ends_with(".json") && stem != name);
    return isTable || isText;
}

/// `datasets` keeps what map() and filter() made of a data set in files of this name.
bool isCachedResult(const std::string& name)
{
    return name.starts_with("cache-") && name.ends_with(".arrow");
}

/// The member `key` of a JSON file as `Value`.
template <typename Value>
Result<Value> memberOf(const fs::path& file, const char* key)
{
    TRAINYARD_TRY(const std::string text, readFile(file));
    try {
        return Json::parse(text).at(key).get<Value>();
    } catch (const Json::exception& problem) {
        return badInput(file.string() + ": " + jsonProblem(problem, text), "save the data set again");
    }
}

/// What save_to_disk() of one split writes.
Result<FolderFiles> filesOfState(const fs::path& folder)
{
    TRAINYARD_TRY(const Json listed, memberOf<Json>(folder / "state.json", "_data_files"));
    FolderFiles found;
    for (const Json& file : listed) {
        const std::string name = file.is_object() ? file.value("filename", "") : "";
        if (!isPlainName(name))
            return badInput((folder / "state.json").string() + " does not name its files",
                            "save the data set again");
        found.files.push_back(folder / name);
    }
    return found;
}

/// What save_to_disk() of several splits writes: a folder each.
Result<FolderFiles> filesOfDictionary(const fs::path& folder)
{
    TRAINYARD_TRY(auto splits, memberOf<std::vector<std::string>>(folder / "dataset_dict.json", "splits"));
    const auto training = std::ranges::find(splits, "train");
    if (training == splits.end())
        return badInput(fmt::format("{} has no split \"train\"", folder.string()),
                        "pass the folder of a split");
    splits.erase(training);
    TRAINYARD_TRY(FolderFiles found, filesOfFolder(folder / "train"));
    found.leftOut = std::move(splits);
    return found;
}

/// Sorted; without hidden ones.
Result<std::vector<std::string>> corpusFilesBelow(const fs::path& folder)
{
    std::vector<std::string> names;
    std::error_code error;
    for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        const std::string name = it->path().filename();
        if (name.starts_with('.')) {
            it.disable_recursion_pending();
            continue;
        }
        std::error_code ignored;
        if (it->is_regular_file(ignored) && isCorpusFile(name) && !isCachedResult(name))
            names.push_back(it->path().lexically_relative(folder));
    }
    if (error)
        return badInput(fmt::format("cannot list {}: {}", folder.string(), error.message()),
                        "check the permissions of the folder");
    std::ranges::sort(names);
    return names;
}

} // namespace

Result<FolderFiles> filesOfFolder(const fs::path& folder)
{
    std::error_code ignored;
    if (fs::exists(folder / "dataset_dict.json", ignored))
        return filesOfDictionary(folder);
    if (fs::exists(folder / "state.json", ignored))
        return filesOfState(folder);
    TRAINYARD_TRY(const std::vector<std::string> names, corpusFilesBelow(folder));
    const bool hasTraining = std::ranges::find(names, Split::Training, splitOf) != names.end();
    FolderFiles found;
    for (const std::string& name : names) {
        const Split split = splitOf(name);
        if (split == Split::Training || (split == Split::None && !hasTraining))
            found.files.push_back(folder / name);
        else
            found.leftOut.push_back(name);
    }
    if (!found.files.empty())
        return found;
    if (names.empty())
        return badInput(folder.string() + " has no .parquet, .arrow or .jsonl files",
                        "pass files of other kinds one by one, as in " + folder.string() + "/*");
    return badInput(fmt::format("{} has only files of other splits than \"train\"", folder.string()),
                    "pass the files themselves");
}

} // namespace trainyard
