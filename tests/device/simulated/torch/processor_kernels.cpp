#include <algorithm>
#include <array>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include "tests/device/simulated/torch/executor_view.h"
#include "tests/device/simulated/torch/simulated_allocators.h"

// Every operator that the simulated device does not bring itself: the processor's kernel computes it, on
// views of device memory at the executor's addresses, after what it reads and writes was noted.

namespace trainyard {

namespace {

/// Operators whose results' shapes depend on values, for which a device stops the host.
constexpr std::array kAskingOperators{"aten::nonzero",  "aten::masked_select",    "aten::_unique2",
                                      "aten::equal",    "aten::is_nonzero",       "aten::unique_dim",
                                      "aten::bincount", "aten::repeat_interleave"};
/// Operators that take indices in host memory too.
constexpr std::array kIndexOperators{"aten::index", "aten::index_put_", "aten::_index_put_impl_"};

bool contains(const auto& names, const std::string& name)
{
    return std::ranges::any_of(names, [&](const char* one) { return name == one; });
}

/// Names that live as long as the process.
const char* lasting(const std::string& name)
{
    static std::mutex mutex;
    static auto* const names = new std::set<std::string>;
    const std::lock_guard lock(mutex);
    return names->insert(name).first->c_str();
}

/// A call of an operator with tensors of the simulated device, made to the processor's kernel instead.
class ProcessorCall {
public:
    ProcessorCall(const c10::OperatorHandle& op, torch::jit::Stack& stack)
        : m_op(op), m_stack(stack), m_work(lasting(op.schema().name()))
    {
    }

    void run()
    {
        replaceArguments();
        m_op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), &m_stack);
        for (const Resized& resized : m_resized)
            store(resized);
        replaceResults();
        if (asksTheHost())
            SimulatedDevice::current().synchronizeStream(SimulatedDevice::current().currentStream());
    }

private:
    struct Operand {
        at::Tensor original;
        at::Tensor view;
    };
    /// An operand for results of any shape.
    using Resized = Operand;

    const std::string& name() const { return m_op.schema().name(); }

    static bool isWritten(const c10::Argument& argument)
    {
        const c10::AliasInfo* const alias = argument.alias_info();
        return alias && (alias->isWrite() ||
                         std::ranges::any_of(alias->containedTypes(), &c10::AliasInfo::isWrite)); // of a list
    }

    void replaceArguments()
    {
        const auto& arguments = m_op.schema().arguments();
        const std::size_t first = m_stack.size() - arguments.size();
        // Reads are noted before writes: memory that is both belongs to this work afterwards.
        for (const bool writes : {false, true}) {
            for (std::size_t i = 0; i < arguments.size(); ++i) {
                if (isWritten(arguments[i]) == writes)
                    replace(m_stack[first + i], writes);
            }
        }
        TORCH_CHECK(!m_hasHostTensor || m_operands.empty() || contains(kIndexOperators, name()), name(),
                    " has tensors of the device and of the host");
    }

    void replace(c10::IValue& value, bool writes)
    {
        if (value.isTensor()) {
            value = viewOf(value.toTensor(), writes);
        } else if (value.isTensorList()) {
            c10::List<at::Tensor> views;
            for (const at::Tensor& tensor : value.toTensorVector())
                views.push_back(viewOf(tensor, writes));
            value = views;
        } else if (value.isOptionalTensorList()) {
            c10::List<std::optional<at::Tensor>> views;
            for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorVector())
                views.push_back(tensor ? std::optional(viewOf(*tensor, writes)) : std::nullopt);
            value = views;
        } else if (value.isDevice()) {
            value = c10::Device(c10::DeviceType::CPU);
        }
    }

    at::Tensor viewOf(const at::Tensor& tensor, bool writes)
    {
        if (!tensor.defined())
            return tensor;
        if (tensor.device().type() != kSimulatedType) {
            m_hasHostTensor = m_hasHostTensor || tensor.dim() > 0;
            return tensor;
        }
        if (writes && tensor.numel() == 0)
            return m_resized.emplace_back(tensor, at::empty(tensor.sizes(), tensor.scalar_type())).view;
        noteElements(m_work, tensor, writes ? MemoryAccess::Write : MemoryAccess::Read);
        return m_operands.emplace_back(tensor, executorView(tensor)).view;
    }

    void store(const Resized& resized)
    {
        if (resized.view.numel() == 0 && resized.view.sizes() == resized.original.sizes())
            return;
        resized.original.resize_(resized.view.sizes());
        noteElements(m_work, resized.original, MemoryAccess::Write);
        executorView(resized.original).copy_(resized.view);
    }

    void replaceResults()
    {
        const std::size_t first = m_stack.size() - m_op.schema().returns().size();
        for (std::size_t i = first; i < m_stack.size(); ++i) {
            c10::IValue& value = m_stack[i];
            if (value.isTensor()) {
                value = resultOf(value.toTensor());
            } else if (value.isTensorList()) {
                c10::List<at::Tensor> results;
                for (const at::Tensor& tensor : value.toTensorVector())
                    results.push_back(resultOf(tensor));
                value = results;
            }
        }
    }

    at::Tensor resultOf(const at::Tensor& tensor)
    {
        if (!tensor.defined())
            return tensor;
        for (const auto* operands : {&m_operands, &m_resized}) {
            for (const Operand& operand : *operands) {
                if (operand.view.is_same(tensor))
                    return operand.original;
                TORCH_CHECK(!operand.view.storage().is_alias_of(tensor.storage()), name(),
                            " returns a view; the simulated device needs a kernel of its own for it");
            }
        }
        return onDevice(tensor, m_work);
    }

    bool asksTheHost() const
    {
        return contains(kAskingOperators, name()) ||
               std::ranges::any_of(m_op.schema().returns(), [](const c10::Argument& result) {
                   return !result.type()->isSubtypeOf(*c10::TensorType::get()) &&
                          !result.type()->isSubtypeOf(*c10::ListType::ofTensors());
               });
    }

    const c10::OperatorHandle& m_op;
    torch::jit::Stack& m_stack;
    SimulatedWork m_work;
    std::vector<Operand> m_operands;
    std::vector<Resized> m_resized;
    bool m_hasHostTensor = false;
};

void callProcessor(const c10::OperatorHandle& op, torch::jit::Stack* stack)
{
    const OperatorName made(lasting(op.schema().name()));
    ProcessorCall(op, *stack).run();
}

} // namespace

// ATen has made-up steps for it where a backend has no kernel; a GPU has one.
TORCH_LIBRARY_IMPL(aten, PrivateUse1, library)
{
    library.impl("native_layer_norm", torch::CppFunction::makeFromBoxedFunction<&callProcessor>());
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, library)
{
    library.fallback(torch::CppFunction::makeFromBoxedFunction<&callProcessor>());
}

} // namespace trainyard
