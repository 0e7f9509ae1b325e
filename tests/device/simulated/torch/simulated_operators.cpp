#include <algorithm>

#include <ATen/EmptyTensor.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_native.h>
#include <torch/library.h>

#include "tests/device/simulated/torch/executor_view.h"
#include "tests/device/simulated/torch/simulated_allocators.h"

// What a device must bring itself because it makes, shapes or copies memory; all other operators go through
// the processor's kernels (processor_kernels.cpp).

namespace trainyard {

namespace {

constexpr c10::DispatchKeySet kSimulatedKeys(c10::DispatchKey::PrivateUse1);

at::Tensor emptyTensor(at::IntArrayRef size, std::optional<at::ScalarType> type, std::optional<at::Layout>,
                       std::optional<at::Device>, std::optional<bool>, std::optional<at::MemoryFormat> format)
{
    return at::detail::empty_generic(size, &simulatedAllocator(), kSimulatedKeys, c10::dtype_or_default(type),
                                     format);
}

at::Tensor emptyStrided(at::IntArrayRef size, at::IntArrayRef stride, std::optional<at::ScalarType> type,
                        std::optional<at::Layout>, std::optional<at::Device>, std::optional<bool>)
{
    return at::detail::empty_strided_generic(size, stride, &simulatedAllocator(), kSimulatedKeys,
                                             c10::dtype_or_default(type));
}

at::Tensor asStrided(const at::Tensor& self, at::IntArrayRef size, at::IntArrayRef stride,
                     std::optional<std::int64_t> offset)
{
    return at::native::as_strided_tensorimpl(self, size, stride, offset);
}

/// Room for at least so many bytes; what was there stays.
void growTo(const at::Tensor& tensor, std::size_t bytes)
{
    c10::StorageImpl& storage = *tensor.storage().unsafeGetStorageImpl();
    if (bytes <= storage.nbytes())
        return;
    c10::DataPtr larger = simulatedAllocator().allocate(bytes);
    if (storage.nbytes() > 0)
        simulatedAllocator().copy_data(larger.get(), storage.data(), storage.nbytes());
    storage.set_data_ptr_noswap(std::move(larger));
    storage.set_nbytes(bytes);
}

const at::Tensor& resizeTensor(const at::Tensor& self, at::IntArrayRef size,
                               std::optional<at::MemoryFormat> format)
{
    TORCH_CHECK(!format || *format == at::MemoryFormat::Contiguous, "resize_ of the simulated device");
    std::size_t elements = static_cast<std::size_t>(self.storage_offset());
    elements += static_cast<std::size_t>(c10::multiply_integers(size));
    growTo(self, elements * self.itemsize());
    self.unsafeGetTensorImpl()->set_sizes_contiguous(size);
    return self;
}

at::Tensor& setStorageAndShape(at::Tensor& self, at::Storage source, std::int64_t offset,
                               at::IntArrayRef size, at::IntArrayRef stride)
{
    at::native::checkSetStorage(self, std::move(source), offset, size, stride);
    self.unsafeGetTensorImpl()->set_storage_offset(offset);
    if (stride.data())
        self.unsafeGetTensorImpl()->set_sizes_and_strides(size, stride);
    else
        self.unsafeGetTensorImpl()->set_sizes_contiguous(size);
    TORCH_CHECK(self.numel() == 0 ||
                    extentOf(self).bytes + static_cast<std::size_t>(offset) * self.itemsize() <=
                        self.storage().nbytes(),
                "set_ beyond the storage");
    return self;
}

at::Tensor& setStorage(at::Tensor& self, at::Storage source)
{
    const auto count = static_cast<std::int64_t>(source.nbytes() / self.itemsize());
    return setStorageAndShape(self, std::move(source), 0, {count}, {});
}

at::Tensor& setTensor(at::Tensor& self, const at::Tensor& source)
{
    return setStorageAndShape(self, source.storage(), source.storage_offset(), source.sizes(),
                              source.strides());
}

at::Tensor& setEmpty(at::Tensor& self)
{
    return setStorageAndShape(
        self, c10::Storage(c10::Storage::use_byte_size_t(), 0, &simulatedAllocator(), true), 0, {0}, {});
}

bool isSimulated(const at::Tensor& tensor)
{
    return tensor.device().type() == kSimulatedType;
}

bool isPinned(const at::Tensor& tensor)
{
    return SimulatedMemory::instance().isPinned(tensor.storage().data());
}

/// The host's side of a copy; whether the host may go on before it is done.
bool noteHostSide(SimulatedWork& copy, const at::Tensor& host, MemoryAccess access, bool nonBlocking)
{
    if (!isPinned(host))
        return false;
    const TensorExtent extent = extentOf(host);
    copy.use(extent.begin, extent.bytes, access);
    if (nonBlocking)
        copy.keepFromHost(extent.begin, extent.bytes, access);
    return nonBlocking;
}

/// At the executor's address, where the simulated device or pinned memory has the elements.
at::Tensor reached(const at::Tensor& tensor)
{
    return isSimulated(tensor) || isPinned(tensor) ? executorView(tensor) : tensor;
}

at::Tensor copyFrom(const at::Tensor& from, const at::Tensor& to, bool nonBlocking)
{
    SimulatedWork copy(isSimulated(from) ? isSimulated(to) ? "copy on the device" : "copy to the host"
                                         : "copy to the device");
    bool goesOn = true;
    if (isSimulated(from))
        noteElements(copy, from, MemoryAccess::Read);
    else
        goesOn = noteHostSide(copy, from, MemoryAccess::Read, nonBlocking);
    if (isSimulated(to))
        noteElements(copy, to, MemoryAccess::Write);
    else
        goesOn = noteHostSide(copy, to, MemoryAccess::Write, nonBlocking);
    reached(to).copy_(reached(from));
    if (!goesOn)
        SimulatedDevice::current().synchronizeStream(SimulatedDevice::current().currentStream());
    return to;
}

at::Tensor copyFromAndResize(const at::Tensor& from, const at::Tensor& to)
{
    to.resize_(from.sizes());
    return copyFrom(from, to, false);
}

at::Scalar scalarOf(const at::Tensor& self)
{
    SimulatedWork copy("item");
    noteElements(copy, self, MemoryAccess::Read);
    SimulatedDevice::current().synchronizeStream(SimulatedDevice::current().currentStream());
    return executorView(self).item();
}

/// Attention in ATen's own steps, one operator after the other.
std::int64_t mathAttention(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                           const std::optional<at::Tensor>&, double, bool, std::optional<double>, bool)
{
    return 0; // SDPBackend::math
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library)
{
    library.impl("empty.memory_format", &emptyTensor);
    library.impl("empty_strided", &emptyStrided);
    library.impl("as_strided", &asStrided);
    library.impl("view", &at::native::view);
    library.impl("_reshape_alias", &at::native::_reshape_alias);
    library.impl("unfold", &at::native::unfold);
    library.impl("resize_", &resizeTensor);
    library.impl("set_.source_Storage", &setStorage);
    library.impl("set_.source_Storage_storage_offset", &setStorageAndShape);
    library.impl("set_.source_Tensor", &setTensor);
    library.impl("set_", &setEmpty);
    library.impl("_copy_from", &copyFrom);
    library.impl("_copy_from_and_resize", &copyFromAndResize);
    library.impl("_local_scalar_dense", &scalarOf);
    library.impl("_fused_sdp_choice", &mathAttention);
}

} // namespace trainyard
