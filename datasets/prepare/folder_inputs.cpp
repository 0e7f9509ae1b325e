#include "datasets/prepare/folder_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "datasets/input/corpus_folder.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

void warnOfLeftOut(const fs::path& folder, std::vector<std::string> names, Progress& progress)
{
    constexpr std::size_t kMostNames = 5;
    if (names.empty())
        return;
    const bool all = names.size() <= kMostNames;
    names.resize(std::min(names.size(), kMostNames));
    progress.warn("splits-left-out",
                  fmt::format("{}: only the split \"train\" is used; left out: {}{}", folder.string(),
                              fmt::join(names, ", "), all ? "" : ", ..."));
}

/// Megatron-LM itself names a data set without an ending.
fs::path indexOf(const fs::path& dump)
{
    std::error_code ignored;
    const fs::path beside = fs::path(dump).replace_extension(".idx");
    if (dump.extension() == ".bin" && fs::exists(beside, ignored))
        return beside;
    const fs::path named = dump.string() + ".idx";
    return !fs::exists(dump, ignored) && fs::exists(named, ignored) ? named : dump;
}

} // namespace

Result<PrepareOptions> withFilesOfFolders(const PrepareOptions& options, Progress& progress)
{
    PrepareOptions expanded = options;
    if (options.task.isOn())
        return expanded;
    expanded.dumps.clear();
    for (const fs::path& dump : options.dumps) {
        std::error_code ignored;
        if (!fs::is_directory(dump, ignored)) {
            expanded.dumps.push_back(indexOf(dump));
            continue;
        }
        TRAINYARD_TRY(FolderFiles found, filesOfFolder(dump));
        expanded.dumps.insert(expanded.dumps.end(), found.files.begin(), found.files.end());
        warnOfLeftOut(dump, std::move(found.leftOut), progress);
    }
    return expanded;
}

} // namespace trainyard
