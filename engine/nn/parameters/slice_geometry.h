#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/share.h"
#include "engine/model/parameter_spec.h"

namespace trainyard {

/// Consecutive indices of one dimension.
struct IndexRange {
    std::int64_t begin = 0;
    std::int64_t end = 0;

    std::int64_t size() const { return end - begin; }
};

/// Part `rank` of `size` indices shared by `ranks`; the first `size % ranks` parts have one more.
IndexRange evenShare(std::int64_t size, int rank, int ranks);

/// The part of a logical tensor that one rank of a tensor-parallel group holds, as one contiguous row-major
/// tensor: its pieces of every block, one behind the other along the cut dimension. Vectors and matrices.
/// Matrices of experts are cut twice: of its experts alone (`experts`) a rank has its slice of each.
class SliceGeometry {
public:
    SliceGeometry(const ParameterSpec& spec, Share tensor, Share experts);

    const std::vector<std::int64_t>& shape() const { return m_shape; }
    std::int64_t count() const { return elementCount(m_shape); }

    /// A box of the logical tensor, and where its elements lie: consecutive elements of the slice.
    struct Part {
        TensorBox box;
        std::int64_t firstElement = 0; ///< in the slice
    };
    /// The elements [first, first + count) of the slice as boxes of the logical tensor, in order.
    std::vector<Part> boxes(std::int64_t first, std::int64_t count) const;

private:
    /// Where a row of the slice lies in the logical tensor, and how many rows follow it there.
    IndexRange rowsFrom(std::int64_t row) const;
    Part partAt(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns) const;

    std::vector<std::int64_t> m_shape;
    std::vector<IndexRange> m_rows; ///< of the logical tensor, in order of the slice's rows
    IndexRange m_columns;           ///< of the logical tensor; {0, 1} for a vector
};

} // namespace trainyard
