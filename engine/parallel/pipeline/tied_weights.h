#pragma once

#include <cstddef>
#include <vector>

namespace trainyard {

class ParameterStore;
class ProcessGroup;
struct ProcessGroups;

/// The word embeddings that the first pipeline stage looks words up in and the last one predicts them with.
/// Each stage has a copy; both get the sum of both gradients, so that they stay equal. Nothing to do on
/// stages between them, where the head is not tied, and where there is one stage.
class TiedWeights {
public:
    /// `stores`: of this rank's chunks; they and the group outlive this object.
    TiedWeights(const std::vector<ParameterStore*>& stores, const ProcessGroups& groups, bool headIsTied);

    /// After the last backward pass: before the data-parallel reduction, or where gradients are sharded after
    /// it, of what this rank owns. Both stages call it.
    void sumGradients();

private:
    ProcessGroup* m_group = nullptr;
    ParameterStore* m_store = nullptr; ///< of this rank's copy
    std::size_t m_words = 0;           ///< index of its parameter
};

} // namespace trainyard
