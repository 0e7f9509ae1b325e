#pragma once

#include <optional>
#include <span>

#include <torch/csrc/autograd/function_hook.h>
#include <torch/types.h>

#include "engine/nn/parameters/gradient_place.h"

namespace trainyard {

class Compute;
class PendingGradients;

/// Collects the gradient of one autograd leaf in a flat buffer. It is a hook of the leaf, called once in a
/// backward pass, after all functions that use the leaf: what they returned goes into the place, and autograd
/// keeps nothing.
///
/// The functions of this folder return nothing for such leaves: they write into the place in their backward
/// pass (the deliver functions below), in the place's type and without a tensor in between, or leave products
/// for later. One thread.
class GradientCollector : public torch::autograd::FunctionPreHook {
public:
    /// The collector of this leaf, which lives as long as the leaf; null for any other tensor.
    static GradientCollector* of(const at::Tensor& leaf);

    /// The caller fills the place, or adds to it, before anything else runs.
    virtual GradientPlace claim() = 0;
    /// Where products wait, which then claim the place when they are computed; null: they do not.
    virtual PendingGradients* pending() { return nullptr; }
};

/// An input that an autograd function may lack; autograd takes no undefined tensors. Where it lacks one the
/// inputs behind move up in needs_input_grad(), but not in what backward() returns.
inline std::optional<at::Tensor> optional(const at::Tensor& tensor)
{
    return tensor.defined() ? std::optional(tensor) : std::nullopt;
}

/// The way of the gradient of one input of an autograd function. Made in its forward(), where the input still
/// is the leaf; its backward() returns what deliver() gives: nothing when the leaf's collector has got the
/// gradient, else the gradient. The graph keeps the leaf alive, and so the collector.
class GradientRoute {
public:
    GradientRoute() = default;
    explicit GradientRoute(const at::Tensor& input) : m_collector(GradientCollector::of(input)) {}

    /// As a number that an AutogradContext can keep, and back.
    std::int64_t number() const { return reinterpret_cast<std::int64_t>(m_collector); }
    static GradientRoute fromNumber(std::int64_t number);

    at::Tensor deliver(const at::Tensor& gradient) const;
    /// left [N, M] times right [M, K].
    at::Tensor deliverProduct(const at::Tensor& left, const at::Tensor& right, const Compute& compute) const;
    /// Equal blocks of rows behind each other: block i is left[i] [N, M_i] times right[i] [M_i, K].
    at::Tensor deliverBlocks(std::span<const at::Tensor> left, std::span<const at::Tensor> right,
                             const Compute& compute) const;
    /// Row i is added to row ids[i] of a table of so many rows, unless ids[i] is `padding`.
    at::Tensor deliverRows(const at::Tensor& rows, const at::Tensor& ids, std::int64_t tableRows,
                           std::int64_t padding, const Compute& compute) const;

private:
    /// Calls `put` with the collector's place, now or when what is pending is computed.
    template <typename Put>
    void putInto(Put put) const;

    GradientCollector* m_collector = nullptr;
};

} // namespace trainyard
