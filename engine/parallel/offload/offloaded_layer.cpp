#include "engine/parallel/offload/offloaded_layer.h"

#include <utility>

#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>

#include "engine/comm/phase_clock.h"
#include "engine/memory/tensor_storage.h"

namespace trainyard {

namespace {

/// A tensor over the given part of a storage.
at::Tensor viewOf(const at::TensorOptions& options, const c10::Storage& storage, std::int64_t offset,
                  at::IntArrayRef sizes, at::IntArrayRef strides)
{
    at::Tensor view = at::empty({0}, options);
    view.set_(storage, offset, sizes, strides);
    return view;
}

/// Keeps where a saved tensor lies in its offloaded memory, strides included: the backward pass computes with
/// the same layout and so with the same rounding.
class OffloadHooks final : public torch::autograd::SavedVariableHooks {
public:
    explicit OffloadHooks(OffloadedLayer& layer) : m_layer(layer) {}

    void call_pack_hook(const at::Tensor& tensor) override
    {
        const at::NoGradGuard noGrad;
        m_storage = m_layer.storageOf(tensor);
        if (!m_storage) {
            m_stayed = tensor.detach();
            return;
        }
        m_options = at::TensorOptions().dtype(tensor.dtype()).device(tensor.device());
        m_offset = tensor.storage_offset();
        m_sizes = tensor.sizes().vec();
        m_strides = tensor.strides().vec();
    }

    at::Tensor call_unpack_hook() override
    {
        const at::NoGradGuard noGrad;
        if (!m_storage)
            return m_stayed;
        return viewOf(m_options, m_storage->onDevice().storage(), m_offset, m_sizes, m_strides);
    }

private:
    OffloadedLayer& m_layer; // used in the forward pass alone
    at::Tensor m_stayed;
    std::shared_ptr<OffloadedStorage> m_storage;
    at::TensorOptions m_options;
    std::int64_t m_offset = 0;
    std::vector<std::int64_t> m_sizes;
    std::vector<std::int64_t> m_strides;
};

} // namespace

OffloadedStorage::OffloadedStorage(const at::Tensor& tensor)
    : m_origin(tensor.storage().getWeakStorageImpl())
    , m_version(static_cast<std::uint32_t>(tensor._version()))
    , m_place(at::TensorOptions().dtype(at::kByte).device(tensor.device()))
{
    const PhaseScope phase(StepPhase::Offload);
    const auto bytes = static_cast<std::int64_t>(tensor.storage().nbytes());
    const at::Tensor source = viewOf(m_place, tensor.storage(), 0, {bytes}, {1});
    m_host = emptyOnHost(bytes, at::kByte, tensor.device());
    m_host.copy_(source, true);
}

bool OffloadedStorage::isOf(const at::Tensor& tensor) const
{
    return m_origin.lock().get() == tensor.storage().unsafeGetStorageImpl() &&
           m_version == static_cast<std::uint32_t>(tensor._version());
}

void OffloadedStorage::bringBack()
{
    if (m_device.defined())
        return;
    const PhaseScope phase(StepPhase::Offload);
    m_device = at::empty(m_host.sizes(), m_place);
    m_device.copy_(m_host, true);
    m_host.reset(); // pinned memory stays until the copy is done: the allocator of pinned memory sees to it
}

const at::Tensor& OffloadedStorage::onDevice()
{
    bringBack();
    return m_device;
}

OffloadedLayer::OffloadedLayer(const Storages& stay, std::shared_ptr<OffloadedLayer> before)
    : m_stay(stay), m_before(std::move(before))
{
}

std::unique_ptr<torch::autograd::SavedVariableHooks> OffloadedLayer::hooks()
{
    return std::make_unique<OffloadHooks>(*this);
}

void OffloadedLayer::bringBack()
{
    for (const auto& storage : m_storages) {
        if (const auto needed = storage.lock())
            needed->bringBack();
    }
    m_storages.clear();
}

std::shared_ptr<OffloadedStorage> OffloadedLayer::storageOf(const at::Tensor& tensor)
{
    if (m_stay.contains(tensor.storage().unsafeGetStorageImpl()))
        return nullptr;
    // Several saved tensors may be views of one storage (query, key and value); it travels once.
    for (const auto& candidate : m_storages) {
        const auto storage = candidate.lock();
        if (storage && storage->isOf(tensor))
            return storage;
    }
    auto storage = std::make_shared<OffloadedStorage>(tensor);
    m_storages.push_back(storage);
    return storage;
}

} // namespace trainyard
