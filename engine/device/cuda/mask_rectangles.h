#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/device/cuda/mask_launch.h"
#include "engine/nn/dropout_mask.h"

namespace trainyard {

/// The same elements in the same order: parts of one sample and length that follow each other at equal
/// distances are the rows of one rectangle, and such rectangles its heads.
std::vector<MaskRectangle> rectanglesOf(std::uint8_t* mask, std::span<const DropoutPart> parts);

} // namespace trainyard
