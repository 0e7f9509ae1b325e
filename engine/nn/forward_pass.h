#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include <torch/types.h>

#include "engine/nn/compute/compute.h"
#include "engine/nn/context_parallel.h"
#include "engine/nn/device.h"
#include "engine/nn/dropout.h"
#include "engine/nn/experts/expert_parallel.h"
#include "engine/nn/layer_runner.h"
#include "engine/nn/rotary.h"
#include "engine/nn/sequence_slice.h"
#include "engine/nn/tensor_parallel.h"
#include "engine/nn/token_batch.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

class KeyValueCache;

// Shape legend of the model's files: T = B * S tokens of B sequences (packed: as many as they have; with
// context parallelism those that are here), H = hidden, A = heads, K = heads of keys and values, D = width of
// a head, I = intermediate, V = vocabulary, M = target positions.

/// What attention of a layer takes from the places of tokens. Layers with a window have their own.
struct AttentionPlaces {
    at::Tensor bias;                    ///< see attentionBias(); undefined: none
    std::optional<RotaryTables> rotary; ///< nothing without rotary positions

    at::Tensor turn(const at::Tensor& x_BALD, std::int64_t first = 0) const
    {
        return rotary ? rotary->turn(x_BALD, first) : x_BALD;
    }
};

/// What all parts of one forward pass over one micro-batch share. Immutable. Parts that may be computed again
/// later keep it alive; the model must outlive it.
struct ForwardPass {
    const ModelSpec& model;
    LayerRunner& runner;
    TokenBatch batch; ///< the slice of it that is here
    SequenceSlice slice;
    /// With context parallelism of a packed batch TokenBatch::places() of the whole one.
    std::vector<SequencePlace> packedPlaces;
    at::Tensor padding; ///< paddingKeys() of the whole sequences
    AttentionPlaces allPlaces;
    AttentionPlaces windowPlaces;         ///< undefined in models without a window
    std::optional<DropoutKey> dropoutKey; ///< nothing is dropped without one
    TensorParallel parallel{};
    ExpertParallel experts{};
    Device device{};
    const ContextParallel* context = nullptr; ///< null: sequences are not shared
    KeyValueCache* cache = nullptr; ///< of the tokens before those of a decoder's pass; null: there are none
    /// Weight of the losses of routers in the gradients; 0: an evaluation, or a model without experts.
    double routerLossScale = 0;
    DropoutPlaces dropoutPlaces{};

    const Compute& compute() const { return *device.compute; }
    /// Whether attention probabilities are dropped.
    bool dropsHeads() const { return dropoutKey && model.attentionDropout > 0; }
    int headsHere() const { return model.heads / parallel.ranks(); }
    int keyHeadsHere() const { return model.keyHeads() / parallel.ranks(); }
    const AttentionPlaces& placesOf(int layer) const
    {
        return model.hasWindow(layer) ? windowPlaces : allPlaces;
    }
    /// The tokens that this rank has between the cut products, as flat indices into T.
    IndexRange tokensHere() const;
    /// Hidden states of tokensHere(), [T, H] or this rank's slice of it.
    at::Tensor dropTokens(const at::Tensor& hidden_TH, double probability, std::uint32_t site) const;
    /// The same of those columns of rows [T, width] that `input` has. `tokens`: those that are here; `key`
    /// keeps the masks apart from those of the model's own sites.
    at::Tensor dropColumns(const at::Tensor& input, IndexRange columns, std::int64_t width, IndexRange tokens,
                           double probability, const DropoutKey& key, std::uint32_t site) const;
    /// The same of all tokens that are here, on every rank of a tensor-parallel group.
    at::Tensor dropAllTokens(const at::Tensor& hidden_TH, double probability, std::uint32_t site) const;
    /// Of one row for each sequence, [B, H], or of none.
    at::Tensor dropSequences(const at::Tensor& hidden_BH, double probability, std::uint32_t site) const;
    /// What dropTokens() drops, for a norm that does it on the way; nothing where nothing is dropped.
    std::optional<RowDropout> tokenDropout(double probability, std::uint32_t site) const;
    /// Of attention probabilities of this rank's heads, of the sequences `sequences` of batch.places(), which
    /// have one length. Element (head, query, key) of a sequence has the number that it has among [A, S, S],
    /// whatever its length.
    ScoreDropout headDropout(IndexRange sequences, std::uint32_t site) const;

    /// Flat index of the first token of each sequence that begins here: none, [B] or fewer.
    at::Tensor firstTokens() const;
    /// The runs that tokensHere() consist of: sample, first position, count.
    std::vector<DropoutPart> runsHere() const;

private:
    at::Tensor dropped(const at::Tensor& hidden_TH, IndexRange here, double probability,
                       std::uint32_t site) const;
    /// Tokens `here` of whole sequences, run by run: calls visit(sample, first position, count).
    void forEachRun(IndexRange here,
                    const std::function<void(std::uint64_t, std::int64_t, std::int64_t)>& visit) const;
};

using SharedPass = std::shared_ptr<const ForwardPass>;

/// What all passes of a stage have in common. Model, runner and context must outlive them.
struct PassSetting {
    const ModelSpec& model;
    LayerRunner& runner;
    at::ScalarType type; ///< of the activations
    TensorParallel parallel{};
    ExpertParallel experts{};
    Device device{};
    const ContextParallel* context = nullptr;
};

/// `batch`: whole sequences, on the setting's device; without positions they are counted where
/// ModelSpec::positionOffset says so. With a cache `batch` is packed, has positions, and the sample index of
/// each sequence is its number in the cache.
SharedPass beginPass(const PassSetting& setting, const TokenBatch& batch,
                     const std::optional<DropoutKey>& dropoutKey, KeyValueCache* cache = nullptr,
                     double routerLossScale = 0);

/// The slice of the batch that this rank has.
SequenceSlice sliceHere(const ModelSpec& model, const TokenBatch& batch, const ContextParallel* context);

} // namespace trainyard
