#include "engine/checkpoint/format/box_copy.h"

#include <algorithm>
#include <cstring>

namespace trainyard {

namespace {

TensorBox intersection(const TensorBox& a, const TensorBox& b)
{
    TensorBox common;
    for (std::size_t d = 0; d < a.begin.size(); ++d) {
        const std::int64_t begin = std::max(a.begin[d], b.begin[d]);
        const std::int64_t end = std::min(a.begin[d] + a.shape[d], b.begin[d] + b.shape[d]);
        common.begin.push_back(begin);
        common.shape.push_back(std::max<std::int64_t>(0, end - begin));
    }
    return common;
}

// Place of an index of the tensor in a packed box.
std::size_t elementAt(const TensorBox& box, const std::vector<std::int64_t>& index)
{
    std::int64_t element = 0;
    for (std::size_t d = 0; d < index.size(); ++d)
        element = element * box.shape[d] + index[d] - box.begin[d];
    return static_cast<std::size_t>(element);
}

// The next index in row-major order over all dimensions but the last; false after the last one.
bool advance(std::vector<std::int64_t>& index, const TensorBox& box)
{
    for (std::size_t d = index.size() - 1; d-- > 0;) {
        if (++index[d] < box.begin[d] + box.shape[d])
            return true;
        index[d] = box.begin[d];
    }
    return false;
}

} // namespace

bool overlap(const TensorBox& a, const TensorBox& b)
{
    return elementCount(intersection(a, b).shape) > 0;
}

void copyOverlap(const BoxView<const std::byte>& from, const BoxView<std::byte>& to, std::size_t elementBytes)
{
    if (from.box == to.box) {
        std::memcpy(to.bytes.data(), from.bytes.data(), to.bytes.size());
        return;
    }
    const TensorBox common = intersection(from.box, to.box);
    if (elementCount(common.shape) == 0)
        return;
    const std::size_t run = static_cast<std::size_t>(common.shape.back()) * elementBytes;
    std::vector<std::int64_t> index = common.begin;
    do {
        std::memcpy(to.bytes.data() + elementAt(to.box, index) * elementBytes,
                    from.bytes.data() + elementAt(from.box, index) * elementBytes, run);
    } while (advance(index, common));
}

} // namespace trainyard
