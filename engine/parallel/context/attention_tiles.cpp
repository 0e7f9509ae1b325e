#include "engine/parallel/context/attention_tiles.h"

#include <algorithm>
#include <limits>
#include <utility>

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

// Of the packed sequences those that have tokens in the run, as indices.
IndexRange sequencesIn(const TokenRun& run, const std::vector<SequencePlace>& packed)
{
    const auto endsBy = [](std::int64_t token) {
        return [token](const SequencePlace& place) { return place.begin + place.length <= token; };
    };
    const auto beginsBefore = [](std::int64_t token) {
        return [token](const SequencePlace& place) { return place.begin < token; };
    };
    return {std::ranges::partition_point(packed, endsBy(run.positions.begin)) - packed.begin(),
            std::ranges::partition_point(packed, beginsBefore(run.positions.end)) - packed.begin()};
}

// Whether they have tokens of the same sequence.
bool meet(const TokenRun& queries, const TokenRun& keys, const SharedAttention& attention)
{
    if (!attention.isPacked())
        return true;
    const IndexRange ofQueries = sequencesIn(queries, attention.packed);
    const IndexRange ofKeys = sequencesIn(keys, attention.packed);
    return ofQueries.begin < ofKeys.end && ofKeys.begin < ofQueries.end;
}

// [tokens], the sequence of each.
at::Tensor sequenceOfEach(const TokenRun& run, const std::vector<SequencePlace>& packed,
                          const at::Device& device)
{
    const at::Tensor sequences = at::empty({run.size()}, at::kLong);
    const IndexRange here = sequencesIn(run, packed);
    for (std::int64_t i = here.begin; i < here.end; ++i) {
        const SequencePlace& place = packed[static_cast<std::size_t>(i)];
        const std::int64_t begin = std::max(place.begin, run.positions.begin);
        const std::int64_t end = std::min(place.begin + place.length, run.positions.end);
        sequences.narrow(0, begin - run.positions.begin, end - begin).fill_(i);
    }
    return sequences.to(device);
}

// True where a query and a key are of different packed sequences. Undefined where all are of one.
at::Tensor otherSequences(const AttentionTile& tile, const SharedAttention& attention,
                          const at::Device& device)
{
    if (!attention.isPacked())
        return {};
    const IndexRange ofQueries = sequencesIn(tile.queries, attention.packed);
    const IndexRange ofKeys = sequencesIn(tile.keys, attention.packed);
    if (ofQueries.size() == 1 && ofKeys.size() == 1)
        return {};
    return sequenceOfEach(tile.queries, attention.packed, device).unsqueeze(1) !=
           sequenceOfEach(tile.keys, attention.packed, device).unsqueeze(0);
}

// True where a query does not see a key; broadcasts to [B, A, Q, K]. Undefined where all see all.
at::Tensor unseenKeys(const AttentionTile& tile, const SharedAttention& attention, const at::Device& device)
{
    at::Tensor unseen = otherSequences(tile, attention, device);
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

// The elements of the tile among those of whole sequences.
std::vector<DropoutPart> wholeParts(const AttentionTile& tile, std::int64_t heads,
                                    const SharedAttention& attention)
{
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
    return parts;
}

// Of one query: keys of its sequence have the numbers that they have there, those of others, which it does
// not see, any.
void addPackedParts(std::vector<DropoutPart>& parts, const SequencePlace& place, std::int64_t head,
                    std::int64_t query, const IndexRange& keys, std::int64_t length)
{
    const std::int64_t begin = std::clamp(place.begin, keys.begin, keys.end);
    const std::int64_t end = std::clamp(place.begin + place.length, begin, keys.end);
    const std::int64_t row = (head * length + query - place.begin) * length;
    for (const auto& [first, count] : {std::pair(std::int64_t{0}, begin - keys.begin),
                                       {row + begin - place.begin, end - begin},
                                       {std::int64_t{0}, keys.end - end}}) {
        if (count > 0)
            parts.push_back({place.sample, first, count});
    }
}

std::vector<DropoutPart> packedParts(const AttentionTile& tile, std::int64_t heads,
                                     const SharedAttention& attention)
{
    std::vector<DropoutPart> parts;
    for (std::int64_t head = attention.firstHead; head < attention.firstHead + heads; ++head) {
        auto place = attention.packed.begin() + sequencesIn(tile.queries, attention.packed).begin;
        for (std::int64_t query = tile.queries.positions.begin; query < tile.queries.positions.end; ++query) {
            while (place->begin + place->length <= query)
                ++place;
            addPackedParts(parts, *place, head, query, tile.keys.positions, attention.packedFrom);
        }
    }
    return parts;
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
                                   const SharedAttention& attention)
{
    std::vector<AttentionTile> tiles;
    for (const TokenRun& query : queries) {
        for (const TokenRun& key : keys) {
            if (meet(query, key, attention) && !(attention.causal && seesNothing(query, key)))
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
    const std::vector<DropoutPart> parts =
        attention.isPacked() ? packedParts(tile, heads, attention) : wholeParts(tile, heads, attention);
    const auto sequences =
        attention.isPacked() ? 1 : static_cast<std::int64_t>(attention.sampleIndices.size());
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
