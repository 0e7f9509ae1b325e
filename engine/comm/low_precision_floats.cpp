#include "engine/comm/low_precision_floats.h"

#include "engine/base/check.h"
#include "engine/base/kernel.h"

namespace trainyard {

namespace {

TRAINYARD_VECTOR_CLONES
void widenAll(const BFloat16* from, std::size_t count, float* to)
{
    for (std::size_t i = 0; i < count; ++i)
        to[i] = from[i].wide();
}

TRAINYARD_VECTOR_CLONES
void widenAll(const Float16* from, std::size_t count, float* to)
{
    for (std::size_t i = 0; i < count; ++i)
        to[i] = from[i].wide();
}

TRAINYARD_VECTOR_CLONES
void narrowAll(const float* from, std::size_t count, BFloat16* to)
{
    for (std::size_t i = 0; i < count; ++i)
        to[i] = BFloat16::narrow(from[i]);
}

TRAINYARD_VECTOR_CLONES
void narrowAll(const float* from, std::size_t count, Float16* to)
{
    for (std::size_t i = 0; i < count; ++i)
        to[i] = Float16::narrow(from[i]);
}

} // namespace

void widen(FloatSpan narrow, float* wide)
{
    TRAINYARD_CHECK(isNarrow(narrow.type));
    if (narrow.type == FloatType::BFloat16)
        widenAll(static_cast<const BFloat16*>(narrow.data), narrow.count, wide);
    else
        widenAll(static_cast<const Float16*>(narrow.data), narrow.count, wide);
}

void narrow(const float* wide, FloatSpan narrow)
{
    TRAINYARD_CHECK(isNarrow(narrow.type));
    if (narrow.type == FloatType::BFloat16)
        narrowAll(wide, narrow.count, static_cast<BFloat16*>(narrow.data));
    else
        narrowAll(wide, narrow.count, static_cast<Float16*>(narrow.data));
}

} // namespace trainyard
