#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <torch/types.h>

#include "engine/model/parameter_spec.h"
#include "engine/nn/parameters/gradient_buffers.h"
#include "engine/nn/parameters/gradient_collector.h"
#include "engine/nn/parameters/placement.h"
#include "engine/nn/parameters/weight_buffers.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Type of activations and of the weights that forward and backward multiply with.
at::ScalarType computeScalarType(ComputeType type);
/// Type of master weights, gradients and optimizer state: float64 for Float64, else float32.
at::ScalarType masterScalarType(ComputeType type);

/// This rank's slice of one logical tensor. Its tensors are views of the store's flat buffers, in the slice's
/// shape.
struct Parameter {
    ParameterSpec spec;
    std::int64_t offset = 0; ///< of its first element in the flat buffers
    std::int64_t count = 0;  ///< elements of the slice
    at::Tensor working{};    ///< what the model multiplies with; undefined when weights are sharded
    at::Tensor master{};     ///< undefined when the rank holds only a part of the master weights
    at::Tensor gradient{};   ///< sum over the micro-batches of this step; undefined when buckets pass, and of
                             ///< a frozen parameter
};

/// Consecutive elements of a parameter that this rank updates, in three faces of one dimension. Views. Of a
/// frozen parameter this rank only keeps them.
struct OwnedTensor {
    OwnedPiece piece;
    at::Tensor master; ///< the truth, which checkpoints keep
    at::Tensor
        updated; ///< undefined of a frozen one; what the optimizer moves between beginUpdate() and
                 ///< endUpdate(): the master itself, or on the device a copy of one that waits in host memory
    at::Tensor working; ///< what the model multiplies with, or with sharded weights what it is gathered from;
                        ///< the same memory as master unless types or places differ
    at::Tensor gradient; ///< sum over the micro-batches of this step, in the master's type; undefined of a
                         ///< frozen one

    bool isFrozen() const { return !gradient.defined(); }
};

/// The parameters of a rank's part of a model in flat buffers: the working weights whole or by bucket; master
/// weights whole or as far as the rank owns them; gradients whole or by bucket. FlatLayout says where things
/// lie there, and Placement which of them are in host memory.
///
/// Gradients arrive through the leaves' GradientCollectors: in float32 (float64) whatever the compute type,
/// and without a pass that zeroes the buffer first. One thread: the one that calls backward().
class ParameterStore {
public:
    ParameterStore(const std::vector<ParameterSpec>& specs, ComputeType compute,
                   const Sharding& sharding = {}, GradientResidence gradients = GradientResidence::Whole,
                   WeightResidence weights = WeightResidence::Whole, const Placement& placement = {});
    ~ParameterStore();
    ParameterStore(const ParameterStore&) = delete;
    ParameterStore& operator=(const ParameterStore&) = delete;

    /// In order of registration.
    const std::vector<Parameter>& parameters() const { return m_parameters; }
    /// Stops the program when there is no parameter of that name.
    const Parameter& parameter(std::string_view name) const;
    bool contains(std::string_view name) const { return m_indexOf.contains(std::string(name)); }
    /// The autograd leaf that holds this parameter: the parameter's working tensor itself, or the whole
    /// matrix for the first of a stack.
    const at::Tensor& leaf(std::string_view firstName) const;

    /// All autograd leaves.
    std::vector<at::Tensor> leaves() const;

    std::int64_t parameterCount() const; ///< elements of the slices, without gaps
    ComputeType computeType() const { return m_compute; }
    const Device& device() const { return m_placement.device; }
    const FlatLayout& layout() const { return m_layout; }
    const Placement& placement() const { return m_placement; }
    /// What this rank updates or, frozen, keeps, in order of registration: all of it unless the layout has
    /// several owners.
    const std::vector<OwnedTensor>& owned() const { return m_owned; }
    /// Index in owned() of what this rank owns of a parameter; at most one piece.
    std::size_t ownedIndexOf(std::size_t parameter) const;
    WeightBuffers& weights() { return m_weights; }
    GradientBuffers& gradients() { return m_gradients; }
    const at::Tensor& flatGradients() const { return m_gradients.resident(); }
    const at::Tensor& flatMasters() const { return m_masters; } ///< [flatCount()] or [ownedCount()]

    /// Fills the master weights from a counter-based generator keyed by (seed, name, element), so that every
    /// layout draws the same numbers, and refreshes the working copy. Drawn on the processor: a device's
    /// logarithms and sines may differ in the last bit.
    void initialize(std::uint64_t seed, double standardDeviation);
    /// Working copy := master weights, as far as this rank owns them. Needed after masters were written from
    /// outside (loading a checkpoint); optimizers that run on the device refresh it in their own pass.
    void refreshWorkingCopy();
    /// Around an update: what the optimizer moves is where it moves it; then master weights and working copy
    /// have the result.
    void beginUpdate();
    void endUpdate();
    /// Gives a bucket of sharded weights memory, and its part that this rank owns its values; the other parts
    /// are to come from their owners.
    void placeOwnedWeights(std::size_t bucket);

    /// The gradient of a parameter in its bucket's buffer, in the slice's shape.
    at::Tensor gradientOf(std::size_t parameter);
    /// From now on backward() leaves the products for the gradients of weights, and the announcements of
    /// gradients, to `pending`, which the caller computes later, each pass on its own; null: nothing is left.
    void deferGradients(PendingGradients* pending) { m_pending = pending; }
    /// The next backward() overwrites gradients instead of adding to them. Call before the first micro-batch
    /// of an optimizer step.
    void beginGradients();
    /// Called inside backward() with the index in parameters() once that parameter's gradient of this
    /// micro-batch is in the flat buffer. An empty function removes the listener.
    void setGradientListener(std::function<void(std::size_t parameter)> listener);

private:
    struct Leaf {
        at::Tensor working{}; // a view of its bucket's weights with a version of its own, so that the graph
                              // does not take a bucket that comes back for one that was changed
        std::size_t bucket = 0;
        bool hasGradient = false; ///< of this step in the bucket's buffer
    };
    class LeafCollector;

    void nameParameters(const std::vector<ParameterSpec>& specs);
    void allocateMasters();
    void allocateKept();
    void viewBuffers();
    void makeLeaves();
    void listOwned();
    enum class Refreshed { All, Trained };
    void refreshCopies(Refreshed which);
    GradientPlace claimPlace(std::size_t leaf);
    void announceGradient(std::size_t leaf) const;
    at::Tensor sliceOf(const at::Tensor& flat, std::size_t parameter) const;

    ComputeType m_compute;
    Placement m_placement;
    FlatLayout m_layout;
    WeightBuffers m_weights;
    GradientBuffers m_gradients;
    std::vector<Parameter> m_parameters;
    std::unordered_map<std::string, std::size_t> m_indexOf;
    std::vector<Leaf> m_leaves; // by stack of the layout
    std::vector<OwnedTensor> m_owned;
    at::Tensor m_masters; // the same as the whole working weights unless types, extents or places differ
    at::Tensor m_updated; // the same as m_masters, or with memory during an update alone
    at::Tensor m_kept;    // of sharded weights, [ownedCount()]: m_masters, or a copy on the device
    std::function<void(std::size_t)> m_listener;
    PendingGradients* m_pending = nullptr;
};

} // namespace trainyard
