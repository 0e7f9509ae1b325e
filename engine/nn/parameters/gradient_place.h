#pragma once

#include <torch/types.h>

namespace trainyard {

/// Where a leaf's gradient belongs.
struct GradientPlace {
    at::Tensor values;     ///< in the leaf's shape, float32 or float64
    bool isFilled = false; ///< holds a sum that is to be added to; otherwise its content is undefined

    void put(const at::Tensor& gradient) const; ///< of any type
    /// left [N, T] times right [T, K], both of the place's type.
    void putProduct(const at::Tensor& left, const at::Tensor& right) const;
};

} // namespace trainyard
