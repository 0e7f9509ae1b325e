#include <ATen/Dispatch.h>

#include "engine/base/kernel.h"
#include "engine/nn/fused/number.h"
#include "engine/nn/fused/processor_compute.h"
#include "engine/nn/fused/rows.h"

namespace trainyard {

namespace {

template <typename T>
inline __attribute__((always_inline)) void addRow(Wide<T>* __restrict sums, const T* __restrict row,
                                                  std::int64_t width)
{
    for (std::int64_t i = 0; i < width; ++i)
        sums[i] += widen(row[i]);
}

#define KERNEL(T)                                                                                            \
    TRAINYARD_VECTOR_CLONES                                                                                  \
    void addRows(Wide<T>* sums, const T* rows, std::int64_t count, std::int64_t width)                       \
    {                                                                                                        \
        for (std::int64_t row = 0; row < count; ++row)                                                       \
            addRow(sums, rows + row * width, width);                                                         \
    }
TRAINYARD_FOR_EACH_NUMBER(KERNEL)
#undef KERNEL

} // namespace

at::Tensor ProcessorCompute::columnSums(const at::Tensor& values) const
{
    const at::Tensor in = values.contiguous();
    const std::int64_t rows = in.size(0);
    const std::int64_t width = in.size(1);
    return AT_DISPATCH_FLOATING_TYPES_AND2(at::kBFloat16, at::kHalf, in.scalar_type(), "columnSums", [&] {
        using W = Wide<scalar_t>;
        const at::Tensor sums = blockSums(rows, 1, width, c10::CppTypeToScalarType<W>::value);
        forEachRowBlock(rows, [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
            addRows(sums.mutable_data_ptr<W>() + block * width, in.const_data_ptr<scalar_t>() + begin * width,
                    end - begin, width);
        });
        return sums.sum(0).squeeze(0);
    });
}

} // namespace trainyard
