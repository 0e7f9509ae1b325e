#include "engine/planner/time/product_time.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace trainyard {

namespace {

struct Tile {
    double rows;
    double columns;
    double share; ///< of the peak, against the largest tile
};

// Tiles of cuBLAS in the order of its guide; a smaller one loads more for each multiplication.
constexpr std::array<Tile, 7> kTiles{{{256, 128, 1.0},
                                      {128, 256, 1.0},
                                      {128, 128, 0.92},
                                      {128, 64, 0.8},
                                      {64, 128, 0.8},
                                      {64, 64, 0.6},
                                      {32, 32, 0.3}}};
constexpr double kMinDepth = 512; ///< of a part, where depth is cut
constexpr double kMaxParts = 8;
constexpr double kVectorBytes = 16;

double rate(const DeviceModel& device, ComputeType type)
{
    return device.peak.of(type) * device.productEfficiency;
}

/// Seconds of all waves when the result is cut into such tiles and the depth into `parts`.
double waveTime(const MatrixProduct& product, const Tile& tile, double parts, double processors, double rate)
{
    const double tiles = std::ceil(product.rows / tile.rows) * std::ceil(product.columns / tile.columns) *
                         std::max(1.0, product.copies) * parts;
    const double waves = std::ceil(tiles / processors);
    return waves * 2 * tile.rows * tile.columns * (product.depth / parts) / (rate / processors * tile.share);
}

double tiledTime(const MatrixProduct& product, double processors, double rate)
{
    double best = std::numeric_limits<double>::infinity();
    for (const Tile& tile : kTiles) {
        for (double parts = 1; parts <= kMaxParts; parts *= 2) {
            if (parts > 1 && product.depth / parts < kMinDepth)
                break;
            best = std::min(best, waveTime(product, tile, parts, processors, rate));
        }
    }
    return best;
}

bool aligned(double columns, int elementBytes)
{
    return std::fmod(columns * elementBytes, kVectorBytes) == 0;
}

} // namespace

ProductTime productTime(const MatrixProduct& product, const DeviceModel& device, ComputeType type)
{
    const int element = elementSize(type);
    const double arithmetic = device.processors > 0
                                  ? tiledTime(product, device.processors, rate(device, type))
                                  : product.operations() / rate(device, type);
    const double elements = product.copies * (product.rows * product.depth + product.depth * product.columns +
                                              product.rows * product.columns);
    const bool whole = aligned(product.rows, element) && aligned(product.columns, element) &&
                       aligned(product.depth, element);
    return {device.processors > 0 && !whole ? arithmetic / kUnalignedShare : arithmetic,
            elements * element / (device.memoryBandwidth * device.trafficEfficiency)};
}

} // namespace trainyard
