#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <torch/types.h>

#include "engine/nn/parameter_spec.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Type of activations and of the weights that forward and backward multiply with.
at::ScalarType computeScalarType(ComputeType type);
/// Type of master weights, gradients and optimizer state: float64 for Float64, else float32.
at::ScalarType masterScalarType(ComputeType type);

/// One logical tensor with its three faces. All are views of the store's flat buffers.
struct Parameter {
    ParameterSpec spec;
    std::int64_t offset = 0; ///< of its first element in every flat buffer
    std::int64_t count = 0;  ///< elements
    at::Tensor master{};     ///< the truth: what the optimizer moves and checkpoints keep
    at::Tensor working{};    ///< what the model multiplies with; the same memory as master unless bfloat16
    at::Tensor gradient{};   ///< sum over the micro-batches of this step, in the master's type
};

/// Every logical tensor of a model in three flat buffers (master weights, gradients, working copy).
///
/// Offsets run in reverse order of registration, because that is the order in which the backward pass
/// finishes gradients: a bucket of data-parallel reduction is a contiguous range of flatGradients() that
/// fills from the front. Each tensor (or stack of tensors) starts at a multiple of kAlignment elements; the
/// gaps are zero, stay zero and belong to no parameter.
///
/// Gradients arrive through hooks on the autograd leaves: in float32 (float64) whatever the compute type, and
/// without a pass that zeroes the buffer first. One thread: the one that calls backward().
class ParameterStore {
public:
    static constexpr std::int64_t kAlignment = 32; ///< elements: one cache line of bfloat16

    ParameterStore(const std::vector<ParameterSpec>& specs, ComputeType compute);
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

    std::int64_t parameterCount() const;                            ///< elements, without gaps
    std::int64_t flatCount() const { return m_flatCount; }          ///< elements, with gaps
    const at::Tensor& flatGradients() const { return m_gradients; } ///< [flatCount()]
    const at::Tensor& flatMasters() const { return m_masters; }     ///< [flatCount()]
    ComputeType computeType() const { return m_compute; }

    /// Fills the master weights from a counter-based generator keyed by (seed, name, element), so that every
    /// layout draws the same numbers, and refreshes the working copy.
    void initialize(std::uint64_t seed, double standardDeviation);
    /// Working copy := master weights. Needed after masters were written from outside (loading a checkpoint);
    /// the optimizers refresh it in their own pass.
    void refreshWorkingCopy();

    /// The next backward() overwrites gradients instead of adding to them. Call before the first micro-batch
    /// of an optimizer step.
    void beginGradients();
    /// Called inside backward() with the index in parameters() once that parameter's gradient of this
    /// micro-batch is in the flat buffer. An empty function removes the listener.
    void setGradientListener(std::function<void(std::size_t parameter)> listener);

private:
    struct Leaf {
        std::size_t firstParameter = 0;
        std::size_t parameterCount = 1;
        std::int64_t offset = 0;
        at::Tensor working{};
        at::Tensor gradient{};
        bool hasGradient = false;
    };
    class GradientHook;

    void layOut(const std::vector<ParameterSpec>& specs);
    void allocate();
    void makeLeaf(Leaf& leaf);
    void takeGradient(Leaf& leaf, const at::Tensor& gradient);

    ComputeType m_compute;
    std::vector<Parameter> m_parameters;
    std::unordered_map<std::string, std::size_t> m_indexOf;
    std::vector<Leaf> m_leaves; // in order of registration
    std::vector<std::size_t> m_leafOf;
    std::int64_t m_flatCount = 0;
    at::Tensor m_masters;
    at::Tensor m_gradients;
    at::Tensor m_workingCopy; // the same as m_masters unless bfloat16
    std::function<void(std::size_t)> m_listener;
};

} // namespace trainyard
