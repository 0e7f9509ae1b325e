#pragma once

#include <cstddef>
#include <vector>

#include "engine/base/units.h"
#include "engine/comm/work.h"
#include "engine/parallel/data/bucket_plan.h"

namespace trainyard {

class ParameterStore;
class ProcessGroup;

/// Adds the gradients of all ranks of a data-parallel group, bucket by bucket, while the backward pass is
/// still computing the later ones (Li et al., arXiv:2006.15704, section 3.2). Buckets start in the same fixed
/// order on every rank, whatever order the gradients become ready in, so collectives always match.
///
/// A step:  backward() of all micro-batches but the last;  arm();  backward() of the last one;  finish().
/// In between the flat gradients belong to the reducer. One thread.
class GradientReducer {
public:
    /// Listens to the store's gradients until destroyed; both outlive the reducer.
    GradientReducer(ParameterStore& parameters, ProcessGroup& group, Bytes bucketSize);
    ~GradientReducer();
    GradientReducer(const GradientReducer&) = delete;
    GradientReducer& operator=(const GradientReducer&) = delete;

    const std::vector<Bucket>& buckets() const { return m_buckets; }

    /// The next backward() completes the gradients.
    void arm();
    /// Starts what has not started (parameters that got no gradient count as zero) and waits for all of it:
    /// then flatGradients() holds the sum over the group on every rank, bit-equal.
    void finish();
    /// Buckets that started inside backward() in the last step.
    std::size_t overlappedBuckets() const { return m_overlapped; }

private:
    void onGradient(std::size_t parameter);
    void startReadyBuckets();
    void start(const Bucket& bucket);

    ParameterStore& m_parameters;
    ProcessGroup& m_group;
    std::vector<Bucket> m_buckets;
    std::vector<std::size_t> m_bucketOf; // by parameter
    std::vector<std::size_t> m_missing;  // by bucket: gradients to come
    std::vector<Work> m_works;           // of the buckets that started, in order
    std::size_t m_overlapped = 0;
    bool m_armed = false;
};

} // namespace trainyard
