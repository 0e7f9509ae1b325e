#include "engine/planner/memory/communicators.h"

namespace trainyard {

namespace {

// Low latency: 8 lines of 16 bytes for 512 threads; the same with 128-byte lines: 120 numbers of 8 bytes for
// 640 threads; both in 8 steps. Simple: NCCL_BUFFSIZE.
constexpr Bytes kSimpleBuffer = 4 * kMiB;
constexpr Bytes kBuffers = 8 * 512 * 8 * 16 + 120 * 640 * 8 * 8 + kSimpleBuffer;
constexpr Bytes kConnections = 2; ///< ring and tree

constexpr Bytes kChannels = 16;
constexpr Bytes kMessageChannels = 4;
constexpr Bytes kLinks = 4; ///< of a pipeline rank, of which two receive

constexpr Bytes kGroup = kChannels * kConnections * kBuffers;
constexpr Bytes kLink = kMessageChannels * kConnections * kBuffers;
constexpr Bytes kReceivingLink = kMessageChannels * kSimpleBuffer;

} // namespace

Bytes communicatorMemory(const ParallelLayout& layout, DeviceKind device, int pipelineRank)
{
    if (device != DeviceKind::Cuda)
        return 0;
    const auto one = [](bool exists) { return Bytes{exists}; };
    const bool isEnd = pipelineRank == 0 || pipelineRank == layout.pipeline - 1; // has the embeddings' group
    const bool isPiped = layout.pipeline > 1;
    const Bytes groups = one(layout.data * layout.context > 1) + one(layout.context > 1) +
                         one(layout.tensor > 1) + one(isPiped) + one(isPiped && isEnd);
    return groups * kGroup + one(isPiped) * (kLinks * kLink + kLinks / 2 * kReceivingLink);
}

} // namespace trainyard
