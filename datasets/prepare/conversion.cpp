#include "datasets/prepare/conversion.h"

#include <algorithm>

#include "datasets/exporters/mds_export.h"
#include "datasets/prepare/output_place.h"
#include "datasets/prepare/staged_folder.h"
#include "datasets/shards/shard_reader.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

struct Source {
    std::vector<ShardEntry> shards;
    FoundShape shape;
};

/// Orders shards by number: shard 10 comes after shard 9, as in a manifest.
bool comesBefore(const ShardEntry& a, const ShardEntry& b)
{
    return std::pair(a.file.size(), std::string_view(a.file)) <
           std::pair(b.file.size(), std::string_view(b.file));
}

Result<Source> shardsWithoutManifest(const fs::path& folder)
{
    Source source;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename();
        if (entry.path().extension() == ".hdf5")
            source.shards.push_back({name, 0, {}, name.find("training") != std::string::npos});
    }
    if (error || source.shards.empty())
        return badInput(folder.string() + ": there is neither a manifest.json nor a shard (*.hdf5)",
                        "pass the folder of a data set");
    std::sort(source.shards.begin(), source.shards.end(), comesBefore);
    TRAINYARD_TRY(source.shape, readShardShape(folder / source.shards.front().file));
    return source;
}

Result<Source> findShards(const fs::path& folder)
{
    std::error_code error;
    if (!fs::exists(folder / Manifest::kFileName, error))
        return shardsWithoutManifest(folder);
    TRAINYARD_TRY(Manifest manifest, Manifest::load(folder));
    return Source{std::move(manifest.shards), {manifest.sequenceLength, manifest.maxPredictions}};
}

Result<std::uint64_t> countRows(const fs::path& folder, const Source& source)
{
    std::uint64_t rows = 0;
    for (const ShardEntry& shard : source.shards) {
        TRAINYARD_TRY(
            const ShardReader reader,
            ShardReader::open(folder / shard.file, source.shape.sequenceLength, source.shape.maxPredictions));
        rows += reader.rows();
    }
    return rows;
}

} // namespace

Result<std::vector<ExportEntry>> convertToMds(const fs::path& folder, const fs::path& out, Progress& progress,
                                              const CancelFlag& cancel)
{
    TRAINYARD_TRY(const Source source, findShards(folder));
    TRAINYARD_TRY(const std::uint64_t rows, countRows(folder, source));
    TRAINYARD_TRY(const fs::path place, realPlace(out));
    TRAINYARD_TRY_STATUS(checkFree(place));
    TRAINYARD_TRY(StagedFolder staged, StagedFolder::create(place));
    progress.start(Stage::Mds, rows);
    TRAINYARD_TRY(auto files,
                  exportMds(folder, source.shards, source.shape, staged.content(), [&](std::uint64_t count) {
                      progress.advance(Stage::Mds, count);
                      return cancel.check();
                  }));
    progress.finish(Stage::Mds);
    TRAINYARD_TRY_STATUS(staged.publish());
    return files;
}

} // namespace trainyard
