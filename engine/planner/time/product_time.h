#pragma once

#include "engine/planner/hardware/hardware.h"

namespace trainyard {

/// `copies` independent products of rows x depth and depth x columns.
struct MatrixProduct {
    double rows = 0;
    double columns = 0;
    double depth = 0;
    double copies = 1;

    double operations() const { return 2 * rows * columns * depth * copies; }
    bool operator==(const MatrixProduct&) const = default;
};

/// Seconds that the arithmetic and the memory of a product take alone; the larger one bounds it (Williams et
/// al., "Roofline", CACM 52(4), 2009).
struct ProductTime {
    double arithmetic = 0;
    double memory = 0;
};

/// Arithmetic: the result is cut into tiles, one per processor at a time, and the last round of tiles (wave)
/// takes as long as a full one (NVIDIA, "Matrix Multiplication Background", sections 3.1 and 3.2). Of the
/// usual tiles the one that ends first counts; smaller ones reach less of the peak, and a product of few
/// tiles may cut its depth instead. A side whose elements are no multiple of 16 bytes keeps tensor cores
/// from loading whole vectors (section 2.2 there): such products reach kUnalignedShare.
ProductTime productTime(const MatrixProduct& product, const DeviceModel& device, ComputeType type);

/// Of an aligned product's rate. A100, float16, 1024 x 50257 x 1024 and x 2048: 80 of 265 TFLOP/s.
constexpr double kUnalignedShare = 0.3;

} // namespace trainyard
