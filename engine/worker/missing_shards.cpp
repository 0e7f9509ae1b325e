#include "engine/worker/missing_shards.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include <fmt/format.h>

#include "engine/base/process.h"
#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/checkpoint/format/manifest.h"
#include "engine/worker/answer_output.h"

namespace trainyard {

namespace {

/// For terabytes over a slow network.
constexpr std::chrono::hours kShardPatience{48};

} // namespace

Status bringMissingShards(const std::filesystem::path& model, const CheckpointWish& wish, AnswerOutput& output)
{
    const char* agent = std::getenv("TRAINYARD_AGENT");
    const auto found = findWeights(model, wish);
    if (!agent || !found.ok())
        return {}; // whoever opens it says why it is not found
    const auto manifest = CheckpointManifest::load(found->folder / kManifestName);
    const auto missing = [&](const std::string& shard) { return manifest->isElsewhere(found->folder, shard); };
    const std::size_t count = manifest.ok() ? std::ranges::count_if(manifest->shards(), missing) : 0;
    if (count == 0)
        return {};
    output.remark(fmt::format("bringing {} of {} shards from other hosts of the run", count,
                              manifest->shards().size()));
    TRAINYARD_TRY(const CommandOutput brought,
                  runCommand({agent, "bring-shards", "--checkpoint", found->folder.string()}, kShardPatience));
    return brought.status == 0 ? Status() : failed(brought.text.substr(0, brought.text.find('\n')));
}

} // namespace trainyard
