#pragma once

#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

enum class Axis { Data, Pipeline, Tensor };

struct GridCoord {
    int data = 0;
    int pipeline = 0;
    int tensor = 0;

    bool operator==(const GridCoord&) const = default;
};

/// Maps a global rank to its (data, pipeline, tensor) coordinates and back. The placement string is read as
/// SageMaker writes it: the right-most letter varies fastest with the rank, so "DPT" means
///     rank = tensor + T * (pipeline + P * data)
/// which Megatron spells tp-pp-dp. "cluster" = DPT, "spread" = TPD.
/// Immutable after create(); any thread may read it.
class RankGrid {
public:
    /// BadInput for a placement that is no order of D, P and T, or a degree below 1.
    static Result<RankGrid> create(const ParallelLayout& layout);

    WorldSize worldSize() const { return WorldSize{m_size}; }
    GridCoord coordOf(Rank rank) const; ///< requires 0 <= rank < worldSize()
    Rank rankOf(GridCoord coord) const;
    /// Ranks that differ from `member` only along `axis`, ascending, `member` among them.
    std::vector<Rank> group(Rank member, Axis axis) const;
    /// Megatron's spelling of the same order: left-most token varies fastest, e.g. "tp-pp-dp".
    std::string megatronOrder() const;

private:
    struct Dimension {
        Axis axis;
        int degree;
        int stride;
    };
    const Dimension& dimension(Axis axis) const;

    std::vector<Dimension> m_dimensions; ///< fastest-varying first
    int m_size = 1;
};

} // namespace trainyard
