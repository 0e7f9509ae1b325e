#include "tests/support/checkpoint/small_checkpoint.h"

#include <array>

#include <fmt/format.h>

#include "engine/checkpoint/format/checkpoint_writer.h"
#include "engine/checkpoint/format/start_choice.h"

namespace trainyard {

namespace {

constexpr std::int64_t kColumns = 6;

/// One row of a matrix for each shard.
SliceToSave rowOf(const char* tensor, int shard, int shards, std::span<const float> values)
{
    return {.values = {tensor, ElementType::F32, {1, kColumns}, std::as_bytes(values)},
            .globalShape = {shards, kColumns},
            .begin = {shard, 0}};
}

} // namespace

Status publishSmallCheckpoint(const std::filesystem::path& checkpoints, std::int64_t step, int shards,
                              const KeptCheckpoints& kept, const Fence& fence)
{
    const CheckpointWriter writer(checkpoints, Step{step}, fence);
    TRAINYARD_TRY_STATUS(writer.begin());
    for (int shard = 0; shard < shards; ++shard) {
        std::array<float, kColumns> values{};
        values.fill(static_cast<float>(step) + static_cast<float>(shard));
        TRAINYARD_TRY_STATUS(writer.writeShard(shard, shards,
                                               {rowOf("model/weight", shard, shards, values),
                                                rowOf("optimizer/exp_avg/weight", shard, shards, values)}));
    }
    TrainingPosition position;
    position.step = Step{step};
    position.consumedSamples = static_cast<std::uint64_t>(step) * 8;
    return writer.publish(shards, position, kept);
}

Result<std::optional<std::filesystem::path>> startingCheckpoint(const std::filesystem::path& checkpoints)
{
    TRAINYARD_TRY(const StartChoice start, chooseStart(checkpoints));
    return start.checkpoint ? std::optional(checkpoints / start.checkpoint->text()) : std::nullopt;
}

} // namespace trainyard
