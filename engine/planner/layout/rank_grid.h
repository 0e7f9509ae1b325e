#pragma once

#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Of the data axis Expert has the ranks that share the experts of a layer, and ExpertCopies those that have
/// the same ones.
enum class Axis { Data, Context, Pipeline, Tensor, Expert, ExpertCopies };

struct GridCoord {
    int data = 0;
    int context = 0;
    int pipeline = 0;
    int tensor = 0;

    bool operator==(const GridCoord&) const = default;
};

/// The letters D, P and T of a placement, slowest-varying first: "DPT" for "cluster". BadInput when it is not
/// a permutation of them.
Result<std::string> placementLetters(const std::string& placement);

/// Maps a global rank to its (data, context, pipeline, tensor) coordinates and back. The placement string is
/// read as SageMaker writes it: the right-most letter varies fastest with the rank, so "DPT" means
///     rank = tensor + T * (pipeline + P * data)
/// which Megatron spells tp-pp-dp. "cluster" = DPT, "spread" = TPD. Context ranks are neighbours along the
/// data axis: the letter D stands for context + C * data. With expert parallelism data = expert + E * copy,
/// or, placed outer, copy + (data / E) * expert. Immutable after create(); any thread may read it.
class RankGrid {
public:
    /// BadInput for a placement that is no order of D, P and T, a degree below 1, or experts or states that
    /// the data-parallel ranks cannot share.
    static Result<RankGrid> create(const ParallelLayout& layout);

    WorldSize worldSize() const { return WorldSize{m_size}; }
    GridCoord coordOf(Rank rank) const; ///< requires 0 <= rank < worldSize()
    Rank rankOf(GridCoord coord) const;
    /// Ranks that differ from `member` only along these axes, ascending, `member` among them. Along Data and
    /// Context: who holds the same weights and reduces their gradients; along Context: who shares the tokens
    /// of the same samples; along Pipeline and Tensor: who shares one copy of the model.
    std::vector<Rank> group(Rank member, const std::vector<Axis>& axes) const;
    std::vector<Rank> group(Rank member, Axis axis) const { return group(member, std::vector{axis}); }
    /// The coordinates along an axis that `count` ranks from `first` on have, each once.
    std::vector<int> coordsAlong(Axis axis, Rank first, int count) const;
    /// The ranks that hold the same parameters as `member`, or the same experts where ranks share these, cut
    /// into consecutive groups that each share one copy of the states (layout.shard), ascending.
    std::vector<std::vector<Rank>> shards(Rank member, bool ofExperts) const;
    /// Number of that group along these axes; groups are numbered by their lowest ranks.
    int groupNumber(Rank member, const std::vector<Axis>& axes) const;
    /// Whether blocks of so many consecutive ranks are all alike: what of a group lies in one block, lies so
    /// of every group along the same axes.
    bool repeatsEvery(int ranks) const;
    /// The first and the last stage of the member's pipeline, which share tied embeddings; ascending, one
    /// rank without a pipeline. Those between belong to no such group.
    std::vector<Rank> embeddingGroup(Rank member) const;

    /// The same order as others spell it: Megatron's left-most token varies fastest ("tp-pp-dp"), DeepSpeed's
    /// topology names the slowest axis first ("data-pipe-model"). Context is named where there is any.
    std::string megatronOrder() const;
    std::string deepSpeedOrder() const;

private:
    struct Dimension {
        Axis axis;
        int degree;
        int stride;
    };
    const Dimension& dimension(Axis axis) const;
    static bool isNamed(const Dimension& d)
    {
        return (d.axis != Axis::Context && d.axis != Axis::Expert) || d.degree > 1;
    }
    static std::vector<Axis> withoutData(const std::vector<Axis>& axes);
    static int indexOf(Rank rank, const Dimension& d) { return rank.value / d.stride % d.degree; }

    std::vector<Dimension> m_dimensions; ///< fastest-varying first; Data as the two that it consists of
    Dimension m_data{Axis::Data, 1, 1};
    int m_size = 1;
    int m_shard = 1; ///< ranks that share one copy of the states
};

} // namespace trainyard
