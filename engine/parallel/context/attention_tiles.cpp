#include "engine/parallel/context/attention_tiles.h"

#include <algorithm>
#include <limits>

#include <ATen/ops/arange.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>

namespace trainyard {

namespace {

constexpr std::int64_t kMaxRunLength = 512; // tokens; scores of a tile are the largest temporary tensors

bool seesNothing(const TokenRun& queries, const TokenRun& keys)
{
    return keys.positions.begin >= queries.positions.end;
}

bool seesAll(const TokenRun& queries, const TokenRun& keys)
{
    return keys.positions.end <= queries.positions.begin + 1;
}

at::Tensor positionsOf(const TokenRun& run, const at::Device& device)
{
    return at::arange(run.positions.begin, run.positions.end, at::TensorOptions(at::kLong).device(device));
}

// True where a query does not see a key; broadcasts to [B, A, Q, K]. Undefined where all see all.
at::Tensor unseenKeys(const AttentionTile& tile, const SharedAttention& attention, const at::Device& device)
{
    at::Tensor unseen;
    if (attention.padding.defined())
        unseen = attention.padding.narrow(1, tile.keys.positions.begin, tile.keys.size())
                     .unsqueeze(1)
                     .unsqueeze(1);
    if (!attention.causal || seesAll(tile.queries, tile.keys))
        return unseen;
    const at::Tensor later =
        positionsOf(tile.keys, device).unsqueeze(0) > positionsOf(tile.queries, device).unsqueeze(1);
    return unseen.defined() ? unseen.logical_or(later) : later;
}

} // namespace

std::vector<TokenRun> runsOf(const SequenceSlice& slice)
{
    std::vector<TokenRun> runs;
    std::int64_t first = 0;
    for (const IndexRange& range : slice.positions) {
        for (std::int64_t begin = range.begin; begin < range.end; begin += kMaxRunLength) {
            runs.push_back({first, {begin, std::min(begin + kMaxRunLength, range.end)}});
            first += runs.back().size();
        }
    }
    return runs;
}

std::vector<AttentionTile> tilesOf(const std::vector<TokenRun>& queries, const std::vector<TokenRun>& keys,
                                   bool causal)
{
    std::vector<AttentionTile> tiles;
    for (const TokenRun& query : queries) {
        for (const TokenRun& key : keys) {
            if (!causal || !seesNothing(query, key))
                tiles.push_back({query, key});
        }
    }
    return tiles;
}

at::Tensor scoresOf(const at::Tensor& query_BAQD, const at::Tensor& key_BAKD, const AttentionTile& tile,
                    const SharedAttention& attention)
{
    at::Tensor scores = at::matmul(query_BAQD, key_BAKD.transpose(-1, -2));
    scores = scores.to(wideType(scores.scalar_type()));
    if (const at::Tensor unseen = unseenKeys(tile, attention, scores.device()); unseen.defined())
        scores.masked_fill_(unseen, lowestOf(scores.scalar_type()));
    return scores;
}

at::Tensor dropoutFactors(const AttentionTile& tile, std::int64_t heads, const at::TensorOptions& options,
                          const SharedAttention& attention)
{
    if (!attention.dropoutKey || attention.dropout == 0)
        return {};
    std::vector<DropoutPart> parts;
    for (const std::uint64_t sample : attention.sampleIndices) {
        for (std::int64_t head = attention.firstHead; head < attention.firstHead + heads; ++head) {
            for (std::int64_t query = tile.queries.positions.begin; query < tile.queries.positions.end;
                 ++query) {
                const std::int64_t row = (head * attention.length + query) * attention.length;
                parts.push_back({sample, row + tile.keys.positions.begin, tile.keys.size()});
            }
        }
    }
    const auto sequences = static_cast<std::int64_t>(attention.sampleIndices.size());
    return dropout(at::ones({sequences, heads, tile.queries.size(), tile.keys.size()}, options),
                   attention.dropout, *attention.dropoutKey, attention.site, parts, *attention.compute);
}

at::ScalarType wideType(at::ScalarType type)
{
    return type == at::kDouble ? at::kDouble : at::kFloat;
}

double lowestOf(at::ScalarType wide)
{
    return wide == at::kDouble ? std::numeric_limits<double>::lowest() : std::numeric_limits<float>::lowest();
}

} // namespace trainyard
