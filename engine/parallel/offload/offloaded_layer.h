#pragma once

#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

#include <torch/csrc/autograd/saved_variable_hooks.h>
#include <torch/types.h>

namespace trainyard {

/// The memory of a saved tensor, or of several that share it: in host memory, or back on its device. Copies
/// run in the order of the device's current stream, to and from pinned memory; on the CPU at once. One
/// thread.
class OffloadedStorage {
public:
    explicit OffloadedStorage(const at::Tensor& tensor);

    /// Whether the tensor lies in the memory that was copied, unchanged since.
    bool isOf(const at::Tensor& tensor) const;
    void bringBack();
    /// Brings it back first where nobody did in time.
    const at::Tensor& onDevice();

private:
    c10::weak_intrusive_ptr<c10::StorageImpl> m_origin;
    std::uint32_t m_version = 0;
    at::TensorOptions m_place;
    at::Tensor m_host;   // bytes; undefined once they are back
    at::Tensor m_device; // bytes; undefined before
};

/// What one layer keeps of one micro-batch for its backward pass, weights apart. The graph owns the memory:
/// it is freed node by node as the backward pass goes.
class OffloadedLayer {
public:
    using Storages = std::unordered_set<const c10::StorageImpl*>;

    /// `stay`: storages that are not offloaded; outlives the forward pass. `before`: the layer before this
    /// one of the same micro-batch, null for a stage's first one.
    OffloadedLayer(const Storages& stay, std::shared_ptr<OffloadedLayer> before);

    const std::shared_ptr<OffloadedLayer>& before() const { return m_before; }
    /// For a tensor that this layer saves in its forward pass.
    std::unique_ptr<torch::autograd::SavedVariableHooks> hooks();
    /// All that its backward pass still needs.
    void bringBack();

    /// Null for what stays.
    std::shared_ptr<OffloadedStorage> storageOf(const at::Tensor& tensor);

private:
    const Storages& m_stay;
    std::shared_ptr<OffloadedLayer> m_before;
    std::vector<std::weak_ptr<OffloadedStorage>> m_storages;
};

} // namespace trainyard
