#include <algorithm>

#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <fmt/format.h>

#include "engine/nn/compute/compute.h"
#include "engine/nn/dropout_mask.h"
#include "engine/optim/gradient_norm.h"
#include "engine/optim/optimizer.h"
#include "engine/spec/names.h"
#include "tests/gpu/check/checks.h"
#include "tests/gpu/check/relative_error.h"

namespace trainyard {

namespace {

at::Tensor waves(at::IntArrayRef sizes, double frequency, double amplitude, at::ScalarType type)
{
    std::int64_t count = 1;
    for (const std::int64_t size : sizes)
        count *= size;
    return at::arange(count, at::kDouble).mul(frequency).sin().mul(amplitude).to(type).view(sizes);
}

/// A matrix that takes several launches' worth of blocks, a bias, and a tensor of zeros.
std::vector<OptimizedTensor> tensorsOn(const c10::Device& place, at::ScalarType type, bool hasCopy,
                                       bool isSmall)
{
    std::vector<OptimizedTensor> tensors;
    for (const std::int64_t count :
         {std::int64_t{isSmall ? 5003 : 3000017}, std::int64_t{7}, std::int64_t{65}}) {
        OptimizedTensor tensor{"tensor",
                               waves({count}, 0.37, 0.05, type).to(place),
                               waves({count}, 0.11, 0.5, type).to(place),
                               {},
                               count != 7,
                               tensors.size()};
        if (count == 65)
            tensor.master.zero_();
        if (hasCopy)
            tensor.working = tensor.master.to(at::kBFloat16);
        tensors.push_back(tensor);
    }
    return tensors;
}

/// More parts than go into one launch.
std::vector<DropoutPart> maskParts(bool isSmall)
{
    std::vector<DropoutPart> parts;
    for (std::uint64_t sample = 0; sample < (isSmall ? 130U : 250U); ++sample)
        parts.push_back(
            {sample << 30, std::int64_t(sample * 37 % 130), std::int64_t(isSmall ? 70 : 1000 + sample)});
    return parts;
}

/// Share of elements whose bit is another than on the processor.
double wrongMaskBits(const Device& device, bool isSmall)
{
    const DropoutStream site{{42, 7}, 5, 3, 0};
    const std::vector<DropoutPart> parts = maskParts(isSmall);
    std::int64_t count = 0;
    for (const DropoutPart& part : parts)
        count += part.count;
    const at::Tensor ones = at::ones({count}, at::TensorOptions().dtype(at::kFloat).device(device.place));
    const at::Tensor onHost =
        device.compute->drop(ones, {parts, {1U << 30, 1, site}}).mask.to(at::kCPU, at::kByte);
    const std::uint8_t* mask = onHost.const_data_ptr<std::uint8_t>();
    std::int64_t wrong = 0;
    for (const DropoutPart& part : parts) {
        DropoutStream stream = site;
        stream.sample = part.sample;
        std::vector<std::uint8_t> expected(std::size_t(part.count));
        fillDropoutMask(expected.data(), part.firstElement, part.count, 1U << 30, stream);
        for (std::int64_t i = 0; i < part.count; ++i)
            wrong += mask[i] != expected[std::size_t(i)];
        mask += part.count;
    }
    return double(wrong) / double(count);
}

struct UpdateCase {
    OptimizerKind kind;
    at::ScalarType type;
    bool hasCopy; ///< of bfloat16
};

/// Largest error of weights and state after three steps.
Result<double> updateError(const Device& device, const UpdateCase& one, bool isSmall)
{
    OptimizerSpec spec;
    spec.kind = one.kind;
    const auto here = tensorsOn(at::kCPU, at::kDouble, false, isSmall);
    const auto there = tensorsOn(device.place, one.type, one.hasCopy, isSmall);
    const auto expected = makeOptimizer(spec, here);
    const auto found = makeOptimizer(spec, there, {}, *device.updates);
    for (int step = 0; step < 3; ++step) {
        expected->step(0.01, 0.5);
        found->step(0.01, 0.5);
    }
    double largest = 0;
    for (std::size_t i = 0; i < here.size(); ++i) {
        largest = std::max(largest, relativeError(there[i].master, here[i].master));
        if (one.hasCopy && !there[i].working.equal(there[i].master.to(at::kBFloat16)))
            return failed("the copy in bfloat16 has other weights");
    }
    for (std::size_t i = 0; i < expected->state().size(); ++i)
        largest = std::max(largest, relativeError(found->state()[i].value, expected->state()[i].value));
    return largest;
}

void checkUpdates(const Device& device, CheckReport& report, bool isSmall)
{
    for (const auto kind : {OptimizerKind::AdamW, OptimizerKind::Lamb, OptimizerKind::LambPaper,
                            OptimizerKind::Lans, OptimizerKind::Sgd}) {
        for (const UpdateCase& one :
             {UpdateCase{kind, at::kDouble, false}, UpdateCase{kind, at::kFloat, false},
              UpdateCase{kind, at::kFloat, true}}) {
            const bool isDouble = one.type == at::kDouble;
            const char* const type = isDouble ? "float64" : one.hasCopy ? "float32 with bfloat16" : "float32";
            report.error(fmt::format("{} {}", nameOf(kind), type), isDouble ? 1e-12 : 1e-5,
                         [&] { return updateError(device, one, isSmall); });
        }
    }
}

void checkNorms(const Device& device, CheckReport& report, bool isSmall)
{
    const auto there = tensorsOn(device.place, at::kFloat, false, isSmall);
    report.error("gradient norms float32", 1e-12, [&]() -> Result<double> {
        const std::vector<double> expected =
            squaredGradientNorms(tensorsOn(at::kCPU, at::kFloat, false, isSmall), {});
        const std::vector<double> found = squaredGradientNorms(there, {}, *device.updates);
        double largest = 0;
        for (std::size_t i = 0; i < expected.size(); ++i)
            largest = std::max(largest, std::abs(found[i] / expected[i] - 1));
        return largest;
    });
    report.holds("gradient norms are the same every time", [&]() -> Status {
        const auto first = squaredGradientNorms(there, {}, *device.updates);
        return squaredGradientNorms(there, {}, *device.updates) == first ? Status() : failed("they differ");
    });
}

struct TypeBound {
    const char* name;
    at::ScalarType type;
    double bound;
};
/// float32 without TF32; results of 16 bits are rounded once.
constexpr TypeBound kTypes[] = {{"float64", at::kDouble, 1e-12},
                                {"float32", at::kFloat, 1e-5},
                                {"bfloat16", at::kBFloat16, 5e-3},
                                {"float16", at::kHalf, 1e-3}};

/// ATen's products as a layer has them, with a bias, and its dW.
void checkProducts(const c10::Device& place, CheckReport& report, bool isSmall)
{
    const std::int64_t rows = isSmall ? 24 : 1000, in = isSmall ? 16 : 768, out = isSmall ? 40 : 3072;
    for (const TypeBound& one : kTypes) {
        const at::Tensor x = waves({rows, in}, 0.37, 1, one.type), w = waves({in, out}, 0.11, 0.1, one.type);
        const at::Tensor bias = waves({out}, 0.71, 1, one.type);
        report.error(fmt::format("product with bias {}", one.name), one.bound, [&]() -> Result<double> {
            return relativeError(at::addmm(bias.to(place), x.to(place), w.to(place)),
                                 at::addmm(bias.to(at::kDouble), x.to(at::kDouble), w.to(at::kDouble)));
        });
        report.error(fmt::format("gradient of weights {}", one.name), one.bound, [&]() -> Result<double> {
            return relativeError(x.to(place).t().mm(x.to(place)),
                                 x.to(at::kDouble).t().mm(x.to(at::kDouble)));
        });
    }
}

/// Attention in one kernel, forward and backward, as the engine calls it where nothing is dropped.
Result<double> attentionError(const c10::Device& place, at::ScalarType type, bool isCausal)
{
    constexpr std::int64_t length = 256;
    const auto run = [&](const c10::Device& where, at::ScalarType numbers) {
        std::vector<at::Tensor> inputs;
        for (const double frequency : {0.37, 0.11, 0.71})
            inputs.push_back(
                waves({2, 4, length, 64}, frequency, 1, type).to(where, numbers).requires_grad_(true));
        const at::Tensor result =
            at::scaled_dot_product_attention(inputs[0], inputs[1], inputs[2], {}, 0.0, isCausal);
        result.backward(waves({2, 4, length, 64}, 0.05, 1, type).to(where, numbers));
        return std::vector<at::Tensor>{result.detach(), inputs[0].grad(), inputs[1].grad(), inputs[2].grad()};
    };
    const auto found = run(place, type), expected = run(at::kCPU, at::kDouble);
    double largest = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
        largest = std::max(largest, relativeError(found[i], expected[i]));
    return largest;
}

/// The gradients nearly cancel, hence the bounds.
void checkAttention(const c10::Device& place, CheckReport& report)
{
    for (const TypeBound& one : kTypes) {
        for (const bool isCausal : {false, true})
            report.error(fmt::format("attention {}{}", one.name, isCausal ? ", causal" : ""), 8 * one.bound,
                         [&] { return attentionError(place, one.type, isCausal); });
    }
}

} // namespace

void checkKernels(CheckRank& rank, CheckReport& report, bool isSmall)
{
    const Device device = rank.device();
    report.beginGroup("kernels");
    report.error("dropout masks, wrong bits", 0,
                 [&]() -> Result<double> { return wrongMaskBits(device, isSmall); });
    checkUpdates(device, report, isSmall);
    checkNorms(device, report, isSmall);
    checkFused(device, report, isSmall);
    checkProducts(device.place, report, isSmall);
    if (!isSmall) // its kernels are not ours, and racecheck finds fault with one of them
        checkAttention(device.place, report);
}

} // namespace trainyard
