#pragma once

#include <cstddef>
#include <vector>

#include "engine/comm/process_groups.h"
#include "engine/comm/work.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

class ParameterStore;

/// Brings the sharded working weights of a whole model together, part by part, for as long as they are used
/// (ZeRO 3, Rajbhandari et al., arXiv:1910.02054, section 5.3). The communication thread gathers the part
/// that comes next while this one computes, so at most two neighbouring parts are there at once. One thread;
/// all ranks of the group make the same calls.
class PartGatherer {
public:
    enum class Direction { Forward, Backward };

    /// The store's weights are sharded among the holders, in buckets of one part each. All outlive the
    /// gatherer.
    PartGatherer(ParameterStore& parameters, Holders holders, const ModelSpec& model);
    ~PartGatherer();
    PartGatherer(const PartGatherer&) = delete;
    PartGatherer& operator=(const PartGatherer&) = delete;

    /// Before a part (ParameterSpec::part) computes: on return its weights are there, those of the next part
    /// in this direction are under way, and no others.
    void enter(int part, Direction direction);
    /// After the weights have changed.
    void releaseAll();

private:
    /// Buckets that a part multiplies with; none for a number that is no part.
    const std::vector<std::size_t>& bucketsOf(int part) const;
    void start(std::size_t bucket);
    void release(std::size_t bucket);

    ParameterStore& m_parameters;
    const Holders m_holders;
    std::vector<std::vector<std::size_t>> m_buckets; // by part, the embeddings first
    std::vector<Work> m_works;                       // by bucket
};

} // namespace trainyard
