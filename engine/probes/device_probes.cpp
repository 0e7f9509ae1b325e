#include "engine/probes/device_probes.h"

#include <ATen/ATen.h>

#include "engine/base/check.h"
#include "engine/memory/tensor_storage.h"
#include "engine/nn/parameters/parameter_store.h"

namespace trainyard {

namespace {

constexpr std::int64_t kVectorsOfSum = 3; ///< two are read, one is written
constexpr std::int64_t kBytesOfNumber = 4;

at::TensorOptions numbersOn(c10::Device place)
{
    return at::TensorOptions().dtype(at::kFloat).device(place);
}

at::Tensor randomMatrix(double copies, double rows, double columns, const at::TensorOptions& options)
{
    return at::rand({static_cast<std::int64_t>(copies), static_cast<std::int64_t>(rows),
                     static_cast<std::int64_t>(columns)},
                    options.dtype(at::kFloat))
        .to(c10::typeMetaToScalarType(options.dtype()));
}

std::function<void()> productWork(const Probe& probe, const Device& device)
{
    const MatrixProduct& product = probe.product;
    const auto options = at::TensorOptions().dtype(computeScalarType(probe.type)).device(device.place);
    const at::Tensor left = randomMatrix(product.copies, product.rows, product.depth, options);
    const at::Tensor right = randomMatrix(product.copies, product.depth, product.columns, options);
    at::Tensor result = at::bmm(left, right);
    if (product.copies > 1)
        return [left, right, result]() mutable { at::bmm_out(result, left, right); };
    return
        [left = left[0], right = right[0], result = result[0]]() mutable { at::mm_out(result, left, right); };
}

std::function<void()> trafficWork(double bytes, c10::Device place)
{
    const std::int64_t numbers = static_cast<std::int64_t>(bytes) / (kVectorsOfSum * kBytesOfNumber);
    const at::Tensor a = at::ones({numbers}, numbersOn(place));
    const at::Tensor b = at::ones({numbers}, numbersOn(place));
    return [a, b, sum = at::empty_like(a)]() mutable { at::add_out(sum, a, b); };
}

// In float32: a norm, an activation, a softmax, each of which reads and writes, and a sum of two.
std::function<void()> elementwiseWork(double bytes, c10::Device place)
{
    constexpr std::int64_t kPasses = 2 + 2 + 2 + kVectorsOfSum;
    constexpr std::int64_t kWidth = 256;
    const std::int64_t rows = static_cast<std::int64_t>(bytes) / (kPasses * kBytesOfNumber * kWidth);
    const at::Tensor hidden = at::rand({rows, kWidth}, numbersOn(place));
    return [hidden, sum = at::empty_like(hidden)]() mutable {
        const at::Tensor normed = at::layer_norm(hidden, {kWidth});
        at::add_out(sum, at::softmax(at::gelu(normed), -1), hidden);
    };
}

std::function<void()> hostCopyWork(double bytes, const Device& device)
{
    const std::int64_t numbers = static_cast<std::int64_t>(bytes) / kBytesOfNumber;
    const at::Tensor from = at::ones({numbers}, numbersOn(device.place));
    const auto host = numbersOn(c10::DeviceType::CPU).pinned_memory(!isHostMemory(device.place));
    return [from, to = at::zeros({numbers}, host)]() mutable { to.copy_(from, true); };
}

// Each product has two gradients.
std::function<void()> launchWork(const Device& device)
{
    const at::Tensor factor = at::ones({1}, numbersOn(device.place)).requires_grad_(true);
    return [factor]() mutable {
        const at::AutoGradMode graph(true);
        at::Tensor number = factor;
        for (int i = 0; i < kOperationsOfLaunchProbe; ++i)
            number = number * factor;
        number.backward();
        factor.mutable_grad().reset();
    };
}

} // namespace

std::function<void()> deviceWork(const Probe& probe, const Device& device)
{
    switch (probe.kind) {
    case ProbeKind::Product:
        return productWork(probe, device);
    case ProbeKind::Traffic:
        return trafficWork(probe.bytes, device.place);
    case ProbeKind::Elementwise:
        return elementwiseWork(probe.bytes, device.place);
    case ProbeKind::HostTraffic:
        return trafficWork(probe.bytes, c10::DeviceType::CPU);
    case ProbeKind::HostCopy:
        return hostCopyWork(probe.bytes, device);
    case ProbeKind::Launch:
        return launchWork(device);
    case ProbeKind::AllReduce:
    case ProbeKind::AllGather:
    case ProbeKind::Send:
        break;
    }
    TRAINYARD_CHECK_MSG(false, "a probe between ranks is not a device probe");
    return {};
}

} // namespace trainyard
