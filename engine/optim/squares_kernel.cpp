#include "engine/optim/squares_kernel.h"

#include "engine/base/kernel.h"
#include "engine/optim/update_elements.h"

namespace trainyard {

namespace {

constexpr std::int64_t kPartialSums = 16; // fixed order of addition, and room for vector registers

template <typename T>
inline __attribute__((always_inline)) double squares(const T* values, std::int64_t count)
{
    double sums[kPartialSums] = {};
    std::int64_t i = 0;
    for (; i + kPartialSums <= count; i += kPartialSums) {
        for (std::int64_t lane = 0; lane < kPartialSums; ++lane)
            sums[lane] += squareOf(values[i + lane]);
    }
    for (; i < count; ++i)
        sums[0] += squareOf(values[i]);
    double sum = 0;
    for (const double partial : sums)
        sum += partial;
    return sum;
}

} // namespace

TRAINYARD_VECTOR_CLONES
double sumOfSquares(const float* values, std::int64_t count)
{
    return squares(values, count);
}

TRAINYARD_VECTOR_CLONES
double sumOfSquares(const double* values, std::int64_t count)
{
    return squares(values, count);
}

} // namespace trainyard
