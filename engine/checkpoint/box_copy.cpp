#include "engine/checkpoint/box_copy.h"

#include <cstring>

namespace trainyard {

BoxCopy::BoxCopy(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& begin,
                 const std::vector<std::int64_t>& boxShape, std::size_t elementBytes)
    : m_runBytes(elementBytes)
{
    // Trailing dimensions that the box takes whole join its runs.
    std::size_t outer = shape.size();
    while (outer > 0) {
        --outer;
        m_runBytes *= static_cast<std::size_t>(boxShape[outer]);
        if (boxShape[outer] != shape[outer])
            break;
    }
    if (m_runBytes == 0)
        return;
    m_runs = {0};
    std::size_t stride = elementBytes;
    std::vector<std::size_t> strides(shape.size());
    for (std::size_t d = shape.size(); d-- > 0; stride *= static_cast<std::size_t>(shape[d]))
        strides[d] = stride;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        const std::size_t indices = d < outer ? static_cast<std::size_t>(boxShape[d]) : 1;
        std::vector<std::size_t> runs;
        for (const std::size_t run : m_runs) {
            for (std::size_t i = 0; i < indices; ++i)
                runs.push_back(run + (static_cast<std::size_t>(begin[d]) + i) * strides[d]);
        }
        m_runs = std::move(runs);
    }
}

void BoxCopy::scatter(std::span<const std::byte> box, std::span<std::byte> tensor) const
{
    for (std::size_t i = 0; i < m_runs.size(); ++i)
        std::memcpy(tensor.data() + m_runs[i], box.data() + i * m_runBytes, m_runBytes);
}

} // namespace trainyard
