#pragma once

#include <cstddef>
#include <vector>

#include "engine/comm/process_groups.h"
#include "engine/comm/work.h"
#include "engine/nn/parameters/flat_layout.h"

namespace trainyard {

class ParameterStore;

/// Adds the gradients of all ranks that hold the same parameters, bucket by bucket, while the backward pass
/// is still computing the later ones (Li et al., arXiv:2006.15704, section 3.2). Frozen parameters have no
/// gradients to add. Buckets start in the same fixed
/// order on every rank, whatever order the gradients become ready in, so collectives always match.
///
/// What a rank has afterwards follows from the store (Rajbhandari et al., arXiv:1910.02054):
///   - one owner: the whole sum, bit-equal on every rank (all-reduce);
///   - several owners: the sum of what it owns (reduce-scatter), ZeRO 1;
///   - several owners and sharded gradients: the same, in no more memory than that and two buckets, ZeRO
///     2 and 3. Then every micro-batch is reduced, because nobody keeps the whole gradient of the earlier
///     ones.
/// Where several groups of owners keep copies (hybrid sharding), each reduces its micro-batches; what a rank
/// owns is added up over the copies once a step, after the last one.
/// With an offloaded optimizer what a rank has goes to host memory bucket by bucket, each as soon as it is
/// there. The order of additions is the one without offload: gradients of several micro-batches are first
/// added up on the device, unless this rank is alone or shards them.
///
/// A step: for each micro-batch that reducesAfter() names arm(); backward(); finish(); for the others
/// backward(). Where something comes between the last backward pass and the reduction (a pipeline's tied
/// weights): arm(); finish() after it. The last arm() of a step says so. Between arm() and finish() the
/// gradients belong to the reducer. One thread.
class GradientReducer {
public:
    /// Of parameters that every rank of a tensor-parallel group holds whole, but uses on its slice of the
    /// tokens or for its heads alone: each rank's gradient is a part of the sum. They are added up one by one
    /// as they arrive, which is the same order on all ranks of the group, because these run the same graph.
    struct TensorGroup {
        ProcessGroup* group = nullptr; ///< null: one rank
        bool slicesTokens = false;     ///< of all parts but the head
        int headPart = -2;             ///< ParameterSpec::part of the head, which sees all tokens
    };

    /// Listens to the store's gradients until destroyed; all outlive the reducer. The holders have as many
    /// owners as the store.
    GradientReducer(ParameterStore& parameters, Holders holders, TensorGroup tensor);
    /// The ranks of `group` all hold, or if the store has several owners own, the parameters.
    GradientReducer(ParameterStore& parameters, ProcessGroup& group);
    ~GradientReducer();
    GradientReducer(const GradientReducer&) = delete;
    GradientReducer& operator=(const GradientReducer&) = delete;

    /// Whether a backward pass ends in a reduction, of which `done` of `count` came before it.
    bool reducesAfter(std::size_t done, std::size_t count) const;
    /// Whether every one does because nobody keeps whole gradients.
    bool shardsGradients() const;

    /// The next backward() completes the gradients of one pass, or of the step.
    enum class Completes { Pass, Step };
    void arm(Completes completes = Completes::Step);
    /// Starts what has not started (every parameter must have got its gradient) and waits for all of it.
    void finish();
    /// Buckets that started inside backward() in the last step.
    std::size_t overlappedBuckets() const { return m_overlapped; }

private:
    void onGradient(std::size_t parameter);
    void sumOverTensorRanks(std::size_t parameter);
    void startReadyBuckets();
    void startNext();
    void completeNext();
    bool sumsOverCopies() const { return m_holders.of(false).sumsOverCopies(); }
    void startSumOverCopies(std::size_t bucket);

    ParameterStore& m_parameters;
    const Holders m_holders;
    const TensorGroup m_tensor;
    const bool m_bucketsPass;           // a reduced bucket is kept elsewhere, and freed
    const bool m_keepsPerPass;          // after every micro-batch
    std::vector<std::size_t> m_missing; // by bucket of what is trained: gradients to come
    std::vector<bool> m_isSummed;       // by parameter: over the tensor group, where it must be
    std::vector<Work> m_works;          // of the buckets that started, in order
    std::size_t m_completed = 0;        // of them, whose sum is there
    std::vector<Work> m_copyWorks;      // their sums over the copies
    bool m_completesStep = true;
    std::size_t m_overlapped = 0;
    bool m_armed = false;
};

} // namespace trainyard
