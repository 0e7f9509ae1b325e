#include "app/exchange/run_sources.h"

#include <algorithm>

#include "app/exchange/column_table.h"
#include "app/exchange/mlflow_import.h"
#include "app/exchange/neptune_import.h"
#include "app/exchange/tensorboard_import.h"
#include "app/exchange/wandb_import.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr int kDeepestFolder = 32; ///< folders below each other

struct FoundRuns {
    std::vector<fs::path> mlflow;
    std::vector<fs::path> wandb;
    std::vector<fs::path> neptune;
};

/// "RUN_part_0.parquet", as Neptune's exporter calls its files.
bool isNamedAsNeptunes(const fs::path& file)
{
    return isParquet(file) && file.stem().string().find("_part_") != std::string::npos;
}

Result<FoundRuns> lookThrough(const fs::path& root)
{
    FoundRuns found;
    std::error_code problem;
    if (isMlflowRun(root))
        found.mlflow.push_back(root);
    for (fs::recursive_directory_iterator it(root, problem), end; it != end && !problem;
         it.increment(problem)) {
        std::error_code ignored; // a file that vanished while we look is none
        const bool isFolder = it->is_directory(ignored);
        const bool isMlflow = isFolder && isMlflowRun(it->path());
        if (isMlflow)
            found.mlflow.push_back(it->path());
        if (isMlflow || it.depth() >= kDeepestFolder)
            it.disable_recursion_pending();
        if (!isFolder && it->path().filename() == "wandb-history.jsonl")
            found.wandb.push_back(it->path());
        if (!isFolder && isNamedAsNeptunes(it->path()))
            found.neptune.push_back(it->path());
    }
    if (problem)
        return systemError(ErrorKind::BadInput, "cannot list " + root.string(), problem.value());
    std::ranges::sort(found.mlflow);
    std::ranges::sort(found.wandb);
    std::ranges::sort(found.neptune);
    return found;
}

RunSource sourceOf(const TensorBoardLog& log)
{
    return {log.name, [log](const ImportGoesOn& goesOn) { return loadTensorBoardLog(log, goesOn); }};
}

RunSource mlflowSource(const fs::path& folder)
{
    return {QString::fromStdString(folder.filename().string()),
            [folder](const ImportGoesOn& goesOn) { return loadMlflowRun(folder, goesOn); }};
}

RunSource wandbSource(const fs::path& file)
{
    return {QString::fromStdString(file.string()),
            [file](const ImportGoesOn& goesOn) { return loadWandbHistory(file, goesOn); }};
}

Status addNeptuneSources(const std::vector<fs::path>& files, std::vector<RunSource>& sources)
{
    TRAINYARD_TRY(const std::vector<NeptuneRun> runs, findNeptuneRuns(files));
    for (const NeptuneRun& run : runs)
        sources.push_back(
            {run.id, [run](const ImportGoesOn& goesOn) { return loadNeptuneRun(run, goesOn); }});
    return {};
}

Result<std::vector<RunSource>> sourcesInTable(const fs::path& file)
{
    std::vector<RunSource> sources;
    TRAINYARD_TRY(const bool isNeptunes, isNeptuneExport(file));
    if (!isNeptunes)
        return std::vector{wandbSource(file)};
    TRAINYARD_TRY_STATUS(addNeptuneSources({file}, sources));
    return sources;
}

} // namespace

bool isRunSource(const fs::path& place)
{
    std::error_code problem; // told by whoever reads it
    return fs::is_directory(place, problem) || isEventFile(place) || isWandbHistory(place);
}

Result<std::vector<RunSource>> findRunSources(const fs::path& place)
{
    std::error_code problem;
    if (!fs::is_directory(place, problem) && isParquet(place))
        return sourcesInTable(place);
    if (!fs::is_directory(place, problem) && isWandbHistory(place))
        return std::vector{wandbSource(place)};
    TRAINYARD_TRY(const auto logs, findTensorBoardLogs(place));
    std::vector<RunSource> sources;
    std::ranges::transform(logs, std::back_inserter(sources), sourceOf);
    if (fs::is_directory(place, problem)) {
        TRAINYARD_TRY(const FoundRuns found, lookThrough(place));
        std::ranges::transform(found.mlflow, std::back_inserter(sources), mlflowSource);
        std::ranges::transform(found.wandb, std::back_inserter(sources), wandbSource);
        TRAINYARD_TRY_STATUS(addNeptuneSources(found.neptune, sources));
    }
    if (sources.empty())
        return badInput(
            place.string() + ": no runs in it",
            "name a folder with TensorBoard's event files (tfevents), MLflow's runs (meta.yaml), W&B's "
            "histories (wandb-history.jsonl) or the files of Neptune's exporter (RUN_part_0.parquet)");
    return sources;
}

Result<LoadedRuns> loadRuns(const fs::path& place, const std::function<bool(const QString&, double)>& goesOn)
{
    TRAINYARD_TRY(const auto sources, findRunSources(place));
    LoadedRuns loaded;
    for (const RunSource& source : sources) {
        const auto tell = [&](double share) { return goesOn(source.name, share); };
        TRAINYARD_TRY(LoadedRun run, source.load(goesOn ? ImportGoesOn(tell) : ImportGoesOn()));
        if (!run.series.empty())
            loaded.runs.push_back(std::move(run));
        else
            loaded.warnings << run.warnings +
                                   QStringList{run.import.name + QStringLiteral(" contains no values")};
    }
    if (loaded.runs.empty())
        return badInput(place.string() + ": there is nothing to import: " +
                            loaded.warnings.join(QStringLiteral("; ")).toStdString(),
                        "choose the folder of a run that has written values, or copy its files again");
    return loaded;
}

} // namespace trainyard
