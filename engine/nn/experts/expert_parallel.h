#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace trainyard {

class ProcessGroup;

/// Counts the pairs of a token and one of its experts that this rank's training passes made. One thread.
class ExpertTally {
public:
    /// `pairs`: by expert of the model's layer.
    void add(int layer, std::span<const std::int64_t> pairs);
    /// By layer, of all passes since the last take().
    std::map<int, std::vector<std::int64_t>> take();

private:
    std::map<int, std::vector<std::int64_t>> m_pairs;
};

/// This rank's place among the ranks that share the experts of each layer (Lepikhin et al.,
/// arXiv:2006.16668): of E experts rank r of R has those from r E / R on. A plain value; what it points to
/// outlives it.
struct ExpertParallel {
    ProcessGroup* group = nullptr; ///< null: this rank has all experts
    ExpertTally* tally = nullptr;  ///< null: nothing is counted

    bool isOn() const { return group != nullptr; }
};

} // namespace trainyard
