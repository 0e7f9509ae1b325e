#include "engine/checkpoint/hugging_face/hugging_face_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/checkpoint/tensor_views.h"
#include "engine/nn/parameters/parameter_store.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

// Copies stored tensors into a model's parameters, and remembers which ones it has.
class WeightLoader {
public:
    WeightLoader(const Architecture& architecture, const ModelSpec& model, ParameterStore& parameters)
        : m_architecture(architecture), m_model(model), m_parameters(parameters)
    {
    }

    Status take(const TensorBytes& tensor, const TensorRole& role)
    {
        if (role.kind == TensorRole::Kind::Unused || role.kind == TensorRole::Kind::OtherHead)
            return {};
        if (!m_parameters.contains(role.parameter))
            return badInput(
                fmt::format("tensor {} is not part of {}", tensor.name, m_architecture.className(m_model)));
        TRAINYARD_TRY(const at::Tensor values, valuesOf(tensor, role));
        if (role.kind == TensorRole::Kind::Copy) {
            m_copies.push_back({tensor.name, role.parameter, values});
            return {};
        }
        const at::Tensor& master = m_parameters.parameter(role.parameter).master;
        const std::int64_t rows = role.rows > 0 ? role.rows : master.size(0);
        if (!m_loaded[role.parameter].emplace(role.firstRow, rows).second)
            return appearsTwice(role.parameter);
        master.narrow(0, role.firstRow, rows).copy_(values);
        return {};
    }

    Status finish() const
    {
        for (const Parameter& parameter : m_parameters.parameters()) {
            const std::string& name = parameter.spec.name;
            const std::int64_t rows = rowsLoaded(name);
            if (rows > parameter.master.size(0))
                return appearsTwice(name);
            if (rows < parameter.master.size(0))
                return badInput(fmt::format("{}tensor {} is missing", rows > 0 ? "part of " : "", name),
                                "save the model as " + m_architecture.className(m_model));
        }
        for (const Copy& copy : m_copies) {
            const at::Tensor& master = m_parameters.parameter(copy.parameter).master;
            if (!copy.values.to(master.scalar_type()).equal(master))
                return badInput(
                    fmt::format("tensor {} differs from {}, to which it is tied", copy.name, copy.parameter),
                    "set tie_word_embeddings to false in config.json if it is a separate tensor");
        }
        m_parameters.refreshWorkingCopy();
        return {};
    }

private:
    using RowCounts = std::map<std::int64_t, std::int64_t>; ///< by the first row

    struct Copy {
        std::string name;
        std::string parameter;
        at::Tensor values;
    };

    static Error appearsTwice(const std::string& parameter)
    {
        return badInput(fmt::format("tensor {} appears twice, under its old and new names", parameter));
    }

    std::int64_t rowsLoaded(const std::string& parameter) const
    {
        const auto found = m_loaded.find(parameter);
        std::int64_t rows = 0;
        for (const auto& [first, count] : found == m_loaded.end() ? RowCounts() : found->second)
            rows += count;
        return rows;
    }

    // In the engine's layout.
    Result<at::Tensor> valuesOf(const TensorBytes& tensor, const TensorRole& role) const
    {
        const bool transposed = m_architecture.isTransposed(role.parameter);
        std::vector<std::int64_t> shape = m_parameters.parameter(role.parameter).spec.shape;
        if (role.rows > 0)
            shape.front() = role.rows;
        if (transposed)
            std::reverse(shape.begin(), shape.end());
        if (tensor.shape != shape)
            return badInput(fmt::format("tensor {} has the shape [{}], but config.json implies [{}]",
                                        tensor.name, fmt::join(tensor.shape, ", "), fmt::join(shape, ", ")));
        const at::Tensor stored = tensorFrom(tensor);
        if (!at::isFloatingType(stored.scalar_type()))
            return badInput(fmt::format("tensor {} does not hold floating-point numbers", tensor.name));
        return transposed ? stored.t() : stored;
    }

    const Architecture& m_architecture;
    const ModelSpec& m_model;
    ParameterStore& m_parameters;
    std::map<std::string, RowCounts> m_loaded;
    std::vector<Copy> m_copies;
};

} // namespace

Result<HuggingFaceModel> HuggingFaceModel::open(const fs::path& folder)
{
    TRAINYARD_TRY(HuggingFaceFolder opened, HuggingFaceFolder::open(folder));
    return HuggingFaceModel(std::move(opened));
}

Status HuggingFaceModel::load(ParameterStore& parameters) const
{
    WeightLoader loader(m_folder.architecture(), m_folder.spec(), parameters);
    const auto load = [&]() -> Status {
        for (const auto& [name, tensor] : m_folder.tensors())
            TRAINYARD_TRY_STATUS(loader.take(tensor, m_folder.roleOf(name)));
        return loader.finish();
    };
    const Status status = load();
    return status.ok() ? status : Status(status.error().in(m_folder.path().string()));
}

} // namespace trainyard
