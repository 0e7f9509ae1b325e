#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trainyard {

/// Puts the values of a box (row-major, packed) where they belong in the row-major tensor around it.
class BoxCopy {
public:
    /// The box lies inside the tensor: begin[d] + boxShape[d] <= shape[d].
    BoxCopy(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& begin,
            const std::vector<std::int64_t>& boxShape, std::size_t elementBytes);

    /// The box is one run of bytes in the tensor, from firstByte().
    bool isContiguous() const { return m_runs.size() <= 1; }
    std::size_t firstByte() const { return m_runs.empty() ? 0 : m_runs.front(); }
    void scatter(std::span<const std::byte> box, std::span<std::byte> tensor) const;

private:
    std::vector<std::size_t> m_runs; // first byte in the tensor of each run of m_runBytes
    std::size_t m_runBytes = 0;
};

} // namespace trainyard
