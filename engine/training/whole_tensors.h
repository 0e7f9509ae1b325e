#pragma once

#include <map>
#include <string>

#include <torch/types.h>

#include "engine/nn/parameters/slice_geometry.h"

namespace trainyard {

class ParameterStore;
class Replica;
struct OwnedTensor;

/// Logical tensors by name, whatever ranks hold their parts.
using WholeTensors = std::map<std::string, at::Tensor>;

/// The box of a whole vector or matrix. A view.
at::Tensor boxOf(const at::Tensor& whole, const TensorBox& box);

/// Which tensor of a rank's parts.
using Face = at::Tensor OwnedTensor::*;

/// Copies what the rank owns into float64 tensors, which are made when they are missing. Copies of parameters
/// (a tied head on another stage) are left out. One rank at a time.
void collect(WholeTensors& whole, const Replica& replica, Face face);

/// Master weights := `weights`, as far as the rank owns them, and then the working weights everywhere. All
/// ranks call it. Requires every parameter in its logical shape.
void fillWeights(Replica& replica, const WholeTensors& weights);

} // namespace trainyard
