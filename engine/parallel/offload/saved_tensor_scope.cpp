#include "engine/parallel/offload/saved_tensor_scope.h"

#include <utility>

#include <torch/csrc/autograd/engine.h>

namespace trainyard {

namespace {

using torch::autograd::Engine;
using torch::autograd::SavedVariableHooks;

thread_local const SavedTensorScope::Factory* innermost = nullptr;

class HookingEngine final : public Engine {
public:
    /// Never destroyed: its device threads may outlive everything else.
    static Engine& instance()
    {
        static Engine* const engine = new HookingEngine;
        return *engine;
    }

    std::unique_ptr<SavedVariableHooks> get_default_saved_variable_hooks() override
    {
        return innermost ? (*innermost)() : nullptr;
    }
};

void installOnce()
{
    static const bool installed = [] {
        torch::autograd::set_default_engine_stub(&HookingEngine::instance);
        return true;
    }();
    static_cast<void>(installed);
}

} // namespace

SavedTensorScope::SavedTensorScope(Factory factory) : m_factory(std::move(factory)), m_outer(innermost)
{
    installOnce();
    innermost = &m_factory;
}

SavedTensorScope::~SavedTensorScope()
{
    innermost = m_outer;
}

} // namespace trainyard
