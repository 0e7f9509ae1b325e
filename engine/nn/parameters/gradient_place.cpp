#include "engine/nn/parameters/gradient_place.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/mm.h>

namespace trainyard {

void GradientPlace::put(const at::Tensor& gradient) const
{
    if (isFilled)
        values.add_(gradient);
    else
        values.copy_(gradient);
}

void GradientPlace::putProduct(const at::Tensor& left, const at::Tensor& right) const
{
    at::Tensor sum = values;
    if (isFilled)
        at::addmm_out(sum, sum, left, right);
    else
        at::mm_out(sum, left, right);
}

} // namespace trainyard
