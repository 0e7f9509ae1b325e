#include "engine/checkpoint/hugging_face/hugging_face_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/base/json_problem.h"
#include "engine/checkpoint/tensor_views.h"
#include "engine/nn/parameters/parameter_store.h"

namespace trainyard {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

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
        if (role.kind == TensorRole::Kind::Unused)
            return {};
        if (!m_parameters.contains(role.parameter))
            return badInput(
                fmt::format("tensor {} is not part of {}", tensor.name, m_architecture.className(m_model)));
        TRAINYARD_TRY(const at::Tensor values, valuesOf(tensor, role.parameter));
        if (role.kind == TensorRole::Kind::Copy) {
            m_copies.push_back({tensor.name, role.parameter, values});
            return {};
        }
        if (!m_loaded.insert(role.parameter).second)
            return badInput(
                fmt::format("tensor {} appears twice, under its old and new names", role.parameter));
        m_parameters.parameter(role.parameter).master.copy_(values);
        return {};
    }

    Status finish() const
    {
        for (const Parameter& parameter : m_parameters.parameters()) {
            if (!m_loaded.contains(parameter.spec.name))
                return badInput(fmt::format("tensor {} is missing", parameter.spec.name),
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
    struct Copy {
        std::string name;
        std::string parameter;
        at::Tensor values;
    };

    // In the engine's layout.
    Result<at::Tensor> valuesOf(const TensorBytes& tensor, const std::string& parameter) const
    {
        const bool transposed = m_architecture.isTransposed(parameter);
        std::vector<std::int64_t> shape = m_parameters.parameter(parameter).spec.shape;
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
    std::set<std::string> m_loaded;
    std::vector<Copy> m_copies;
};

} // namespace

Result<HuggingFaceModel> HuggingFaceModel::open(const fs::path& folder)
{
    HuggingFaceModel model(folder);
    TRAINYARD_TRY_STATUS(model.openWeights());
    TRAINYARD_TRY_STATUS(model.readConfig());
    return model;
}

Status HuggingFaceModel::openWeights()
{
    const fs::path index = m_folder / kWeightsIndexName;
    std::error_code ignored;
    if (fs::exists(m_folder / kWeightsName, ignored) || !fs::exists(index, ignored))
        return openFile(m_folder / kWeightsName);
    const Status status = openShards(index);
    return status.ok() ? status : Status(status.error().in(index.string()));
}

Status HuggingFaceModel::openFile(const fs::path& path)
{
    TRAINYARD_TRY(SafetensorsFile file, SafetensorsFile::open(path));
    for (const TensorBytes& tensor : file.tensors()) {
        if (!m_tensors.emplace(tensor.name, tensor).second)
            return badInput(
                fmt::format("{}: tensor {} is also in another shard", path.string(), tensor.name));
    }
    m_files.push_back(std::move(file)); // the mapping stays where it is
    return {};
}

Status HuggingFaceModel::openShards(const fs::path& index)
{
    TRAINYARD_TRY(const std::string text, readFile(index));
    std::map<std::string, std::string> fileOf;
    try {
        Json::parse(text).at("weight_map").get_to(fileOf);
    } catch (const Json::exception& error) {
        return badInput(jsonProblem(error, text));
    }
    std::set<std::string> files;
    for (const auto& [tensor, file] : fileOf) {
        if (!isPlainName(file))
            return badInput(fmt::format("\"{}\" is not the name of a file", file));
        if (files.insert(file).second)
            TRAINYARD_TRY_STATUS(openFile(m_folder / file));
    }
    for (const auto& [tensor, file] : fileOf) {
        if (!m_tensors.contains(tensor))
            return badInput(fmt::format("tensor {} is not in {}", tensor, file),
                            "a shard may be from another export; copy the whole folder again");
    }
    return {};
}

TensorNames HuggingFaceModel::names() const
{
    TensorNames names;
    for (const auto& [name, tensor] : m_tensors)
        names.insert(name);
    return names;
}

Status HuggingFaceModel::readConfig()
{
    const std::string file = (m_folder / kConfigName).string();
    TRAINYARD_TRY(const std::string text, readFile(file));
    try {
        const Json config = Json::parse(text);
        const auto read = [&]() -> Result<ModelSpec> {
            TRAINYARD_TRY(m_architecture, architectureOf(config.value("model_type", std::string())));
            return m_architecture->readConfig(config, names());
        };
        auto spec = read();
        if (!spec.ok())
            return spec.error().in(file);
        m_spec = std::move(*spec);
    } catch (const Json::exception& error) {
        return badInput(fmt::format("{}: {}", file, jsonProblem(error, text)));
    }
    if (m_spec.heads <= 0 || m_spec.hidden % m_spec.heads != 0)
        return badInput(fmt::format("{}: a hidden size of {} is not a multiple of {} heads", file,
                                    m_spec.hidden, m_spec.heads));
    return {};
}

Status HuggingFaceModel::load(ParameterStore& parameters) const
{
    WeightLoader loader(*m_architecture, m_spec, parameters);
    const TensorNames all = names();
    const auto load = [&]() -> Status {
        for (const auto& [name, tensor] : m_tensors)
            TRAINYARD_TRY_STATUS(loader.take(tensor, m_architecture->roleOf(name, m_spec, all)));
        return loader.finish();
    };
    const Status status = load();
    return status.ok() ? status : Status(status.error().in(m_folder.string()));
}

} // namespace trainyard
