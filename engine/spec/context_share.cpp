#include "engine/spec/context_share.h"

namespace trainyard {

namespace {

int chunkSize(int length, int chunk, int chunks)
{
    return length / chunks + (chunk < length % chunks ? 1 : 0);
}

} // namespace

int tokensOfContextRank(int sequenceLength, int rank, int ranks, bool causal)
{
    if (!causal)
        return chunkSize(sequenceLength, rank, ranks);
    return chunkSize(sequenceLength, rank, 2 * ranks) +
           chunkSize(sequenceLength, 2 * ranks - 1 - rank, 2 * ranks);
}

} // namespace trainyard
