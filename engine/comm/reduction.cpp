#include "engine/comm/reduction.h"

#include <algorithm>
#include <cstring>

#include "engine/base/check.h"
#include "engine/base/kernel.h"
#include "engine/base/stream_copy.h"
#include "engine/comm/low_precision_floats.h"

namespace trainyard {

namespace {

constexpr std::size_t kBlock = 1024; ///< numbers that are added up while they stay in the first-level cache

struct Sum {
    template <typename Number>
    Number operator()(Number a, Number b) const
    {
        return a + b;
    }
};

struct Max {
    template <typename Number>
    Number operator()(Number a, Number b) const
    {
        return std::max(a, b);
    }
};

// A result may be one of the addends, which the compiler would otherwise take for a reason not to use
// vectors.
template <typename Number, typename Op>
[[gnu::always_inline]] inline void combine(const Number* a, const Number* b, Number* result,
                                           std::size_t count, Op op)
{
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i)
        result[i] = op(a[i], b[i]);
}

/// As reduceParts() gets it.
struct Reduction {
    std::span<const void* const> parts;
    std::size_t count;
    FloatType type;
    std::span<void* const> results;
    Store store;
};

template <typename Number>
[[gnu::always_inline]] inline void store(const Number* block, std::size_t first, std::size_t count,
                                         std::span<void* const> results, Store kind)
{
    for (void* result : results) {
        if (kind == Store::Streamed)
            streamCopy(static_cast<Number*>(result) + first, block, count * sizeof(Number));
        else
            std::memcpy(static_cast<Number*>(result) + first, block, count * sizeof(Number));
    }
}

// The sum of two parts goes straight to the first result. That of more is complete before any of it is
// stored, because a result may be a part that is still to come.
template <typename Number, typename Op>
[[gnu::always_inline]] inline void reduceWide(const Reduction& reduction, Op op)
{
    const auto part = [&](std::size_t r) { return static_cast<const Number*>(reduction.parts[r]); };
    auto* const result = static_cast<Number*>(reduction.results.front());
    const bool isPair = reduction.parts.size() == 2 && reduction.store == Store::Cached;
    Number buffer[kBlock];
    for (std::size_t first = 0; first < reduction.count; first += kBlock) {
        const std::size_t size = std::min(kBlock, reduction.count - first);
        Number* const block = isPair ? result + first : buffer;
        combine(part(0) + first, part(1) + first, block, size, op);
        for (std::size_t r = 2; r < reduction.parts.size(); ++r)
            combine(block, part(r) + first, block, size, op);
        store(block, first, size, reduction.results.subspan(isPair ? 1 : 0), reduction.store);
    }
}

template <typename Number, typename Op>
[[gnu::always_inline]] inline void reduceNarrow(const Reduction& reduction, Op op)
{
    const auto part = [&](std::size_t r) { return static_cast<const Number*>(reduction.parts[r]); };
    // Added up in float32 in the order of the parts, and rounded once: the result depends on the number of
    // parts, not on how they are dealt to threads or hosts.
    float wide[kBlock];
    Number block[kBlock];
    for (std::size_t first = 0; first < reduction.count; first += kBlock) {
        const std::size_t size = std::min(kBlock, reduction.count - first);
        for (std::size_t i = 0; i < size; ++i)
            wide[i] = part(0)[first + i].wide();
        for (std::size_t r = 1; r < reduction.parts.size(); ++r) {
            for (std::size_t i = 0; i < size; ++i)
                wide[i] = op(wide[i], part(r)[first + i].wide());
        }
        for (std::size_t i = 0; i < size; ++i)
            block[i] = Number::narrow(wide[i]);
        store(block, first, size, reduction.results, reduction.store);
    }
}

template <typename Op>
[[gnu::always_inline]] inline void reduceAs(const Reduction& reduction, Op op)
{
    switch (reduction.type) {
    case FloatType::Float32:
        return reduceWide<float>(reduction, op);
    case FloatType::Float64:
        return reduceWide<double>(reduction, op);
    case FloatType::BFloat16:
        return reduceNarrow<BFloat16>(reduction, op);
    case FloatType::Float16:
        return reduceNarrow<Float16>(reduction, op);
    }
}

TRAINYARD_VECTOR_CLONES
void sumParts(const Reduction& reduction)
{
    reduceAs(reduction, Sum());
}

TRAINYARD_VECTOR_CLONES
void maxParts(const Reduction& reduction)
{
    reduceAs(reduction, Max());
}

} // namespace

void reduceParts(std::span<const void* const> parts, std::size_t count, FloatType type, ReduceOp op,
                 std::span<void* const> results, Store store)
{
    TRAINYARD_CHECK(parts.size() > 1);
    (op == ReduceOp::Sum ? sumParts : maxParts)({parts, count, type, results, store});
}

} // namespace trainyard
