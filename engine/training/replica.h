#pragma once

#include <memory>

#include "engine/checkpoint/training_state.h"
#include "engine/nn/language_model.h"
#include "engine/optim/optimizer.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

class AccountingAllocator;
struct ProcessGroups;

/// This rank's part of everything that training changes: model, optimizer, and the view of both that
/// checkpoints save. Freshly initialised from the seed.
class Replica {
public:
    /// Counts weights, gradients and optimizer state in their categories.
    Replica(const RunSpec& spec, const ProcessGroups& groups, AccountingAllocator& memory);
    ~Replica();

    LanguageModel& model() { return m_model; }
    ParameterStore& parameters() { return m_model.parameters(); }
    Optimizer& optimizer() { return *m_optimizer; }
    const LogicalSums& sums() const { return m_sums; }
    TrainingState& state() { return *m_state; }
    const TrainingState& state() const { return *m_state; }

private:
    LanguageModel m_model;
    LogicalSums m_sums;
    std::unique_ptr<Optimizer> m_optimizer;
    std::unique_ptr<TrainingState> m_state;
};

} // namespace trainyard
