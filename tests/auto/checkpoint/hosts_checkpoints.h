#pragma once

#include <string>
#include <vector>

#include "engine/checkpoint/format/store_agreement.h"

namespace trainyard {

inline CheckpointName stepName(std::int64_t step, int line = 0, int damaged = 0)
{
    return {Step{step}, line, damaged};
}

/// Two shards, of hosts a and b, each with a copy on the next one.
inline CheckpointManifest manifestOf(const std::vector<std::string>& shards)
{
    CheckpointManifest manifest;
    manifest.position.step = Step{8};
    LogicalTensor tensor{"model/weight", ElementType::F32, {std::int64_t(shards.size())}, {}};
    for (std::size_t i = 0; i < shards.size(); ++i) {
        tensor.slices.push_back({{std::int64_t(i)}, {1}, shards[i], 0, 4, ""});
        manifest.places[shards[i]] = {i == 0 ? "a" : "b", i == 0 ? "b" : "c"};
    }
    manifest.tensors.push_back(std::move(tensor));
    return manifest;
}

} // namespace trainyard
