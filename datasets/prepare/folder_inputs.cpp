#include "datasets/prepare/folder_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "datasets/input/corpus_folder.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

void warnOfLeftOut(const fs::path& folder, std::vector<std::string> names, Progress& progress)
{
    constexpr std::size_t kMaxNames = 5;
    if (names.empty())
        return;
    const bool all = names.size() <= kMaxNames;
    names.resize(std::min(names.size(), kMaxNames));
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

Result<std::vector<fs::path>> filesOf(const fs::path& dump, Progress& progress)
{
    std::error_code ignored;
    if (!fs::is_directory(dump, ignored))
        return std::vector{indexOf(dump)};
    TRAINYARD_TRY(FolderFiles found, filesOfFolder(dump));
    warnOfLeftOut(dump, std::move(found.leftOut), progress);
    return found.files;
}

} // namespace

Result<PrepareOptions> withFilesOfFolders(const PrepareOptions& options, Progress& progress)
{
    PrepareOptions expanded = options;
    if (options.task.isOn())
        return expanded;
    expanded.dumps.clear();
    expanded.sources.clear();
    for (std::size_t input = 0; input < options.dumps.size(); ++input) {
        TRAINYARD_TRY(const auto files, filesOf(options.dumps[input], progress));
        expanded.dumps.insert(expanded.dumps.end(), files.begin(), files.end());
        expanded.sources.insert(expanded.sources.end(), files.size(), input);
    }
    return expanded;
}

} // namespace trainyard
