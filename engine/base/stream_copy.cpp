#include "engine/base/stream_copy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace trainyard {

#if defined(__SSE2__)

namespace {

constexpr std::size_t kLine = 64; ///< the processor joins the stores to one line into one write

void streamLine(std::byte* target, const std::byte* source)
{
    const auto* from = reinterpret_cast<const __m128i*>(source);
    auto* to = reinterpret_cast<__m128i*>(target);
    const __m128i a = _mm_loadu_si128(from);
    const __m128i b = _mm_loadu_si128(from + 1);
    const __m128i c = _mm_loadu_si128(from + 2);
    const __m128i d = _mm_loadu_si128(from + 3);
    _mm_stream_si128(to, a);
    _mm_stream_si128(to + 1, b);
    _mm_stream_si128(to + 2, c);
    _mm_stream_si128(to + 3, d);
}

} // namespace

void streamCopy(void* target, const void* source, std::size_t bytes)
{
    auto* to = static_cast<std::byte*>(target);
    const auto* from = static_cast<const std::byte*>(source);
    const std::size_t unaligned = (kLine - reinterpret_cast<std::uintptr_t>(to) % kLine) % kLine;
    const std::size_t head = std::min(bytes, unaligned);
    std::memcpy(to, from, head);
    std::size_t done = head;
    for (; done + kLine <= bytes; done += kLine)
        streamLine(to + done, from + done);
    _mm_sfence(); // streaming stores are otherwise seen in any order
    std::memcpy(to + done, from + done, bytes - done);
}

#else

void streamCopy(void* target, const void* source, std::size_t bytes)
{
    std::memcpy(target, source, bytes);
}

#endif

} // namespace trainyard
