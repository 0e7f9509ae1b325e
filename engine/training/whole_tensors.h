#pragma once

#include <map>
#include <string>

#include <torch/types.h>

#include "engine/nn/parameters/slice_geometry.h"

namespace trainyard {

class ParameterStore;
class Replica;
struct OwnedTensor;

/// Complete logical tensors by name, independent of the layout.
using WholeTensors = std::map<std::string, at::Tensor>;

/// Returns a view of the box in a whole vector or matrix.
at::Tensor boxOf(const at::Tensor& whole, const TensorBox& box);

/// Names the member of OwnedTensor to collect, such as &OwnedTensor::master.
using Face = at::Tensor OwnedTensor::*;

/// Copies the parts that the rank owns into float64 tensors, creating those that are missing. Skips copies of
/// parameters (a tied head on another stage), and gradients of frozen ones. Call it for one rank at a time.
void collect(WholeTensors& whole, const Replica& replica, Face face);

/// Sets the master weights that the rank owns to `weights`, then the working weights everywhere. All ranks
/// call it. Requires every parameter in its logical shape.
void fillWeights(Replica& replica, const WholeTensors& weights);

} // namespace trainyard
