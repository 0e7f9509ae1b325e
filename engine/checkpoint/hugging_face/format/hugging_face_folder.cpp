#include "engine/checkpoint/hugging_face/format/hugging_face_folder.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/base/json_problem.h"
#include "engine/checkpoint/hugging_face/format/expert_tensors.h"
#include "engine/spec/model_rules.h"

namespace trainyard {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

std::vector<std::int64_t> endTokensIn(const Json& config)
{
    const auto entry = config.find("eos_token_id");
    if (entry == config.end() || entry->is_null())
        return {};
    return entry->is_array() ? entry->get<std::vector<std::int64_t>>()
                             : std::vector{entry->get<std::int64_t>()};
}

std::vector<std::string> labelsIn(const Json& config, const TaskSpec& task)
{
    const Json names = config.value("id2label", Json::object());
    std::vector<std::string> labels;
    for (int label = 0; task.hasLabels() && label < task.labels; ++label) {
        const auto name = names.find(std::to_string(label));
        const bool isNamed = name != names.end() && name->is_string();
        labels.push_back(isNamed ? name->get<std::string>() : unnamedLabel(label));
    }
    return labels;
}

} // namespace

Result<HuggingFaceFolder> HuggingFaceFolder::open(const fs::path& folder)
{
    HuggingFaceFolder opened(folder);
    TRAINYARD_TRY_STATUS(opened.openWeights());
    TRAINYARD_TRY_STATUS(opened.readConfig());
    opened.flattenExperts();
    return opened;
}

Status HuggingFaceFolder::openWeights()
{
    const fs::path index = m_folder / kWeightsIndexName;
    std::error_code ignored;
    if (fs::exists(m_folder / kWeightsName, ignored) || !fs::exists(index, ignored))
        return openFile(m_folder / kWeightsName);
    const Status status = openShards(index);
    return status.ok() ? status : Status(status.error().in(index.string()));
}

Status HuggingFaceFolder::openFile(const fs::path& path)
{
    TRAINYARD_TRY(SafetensorsFile file, SafetensorsFile::open(path));
    for (const TensorBytes& tensor : file.tensors()) {
        m_names.insert(tensor.name);
        if (!m_tensors.emplace(tensor.name, tensor).second)
            return badInput(
                fmt::format("{}: tensor {} is also in another shard", path.string(), tensor.name));
    }
    m_files.push_back(std::move(file)); // the mapping stays where it is
    return {};
}

Status HuggingFaceFolder::openShards(const fs::path& index)
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
    if (files.empty())
        return badInput("it lists no tensors", "copy the whole folder again");
    for (const auto& [tensor, file] : fileOf) {
        if (!m_tensors.contains(tensor))
            return badInput(fmt::format("tensor {} is not in {}", tensor, file),
                            "a shard may be from another export; copy the whole folder again");
    }
    return {};
}

Status HuggingFaceFolder::readConfig()
{
    const std::string file = (m_folder / kConfigName).string();
    TRAINYARD_TRY(const std::string text, readFile(file));
    try {
        const Json config = Json::parse(text);
        const auto read = [&]() -> Result<ModelSpec> {
            TRAINYARD_TRY(m_architecture, architectureOf(config.value("model_type", std::string())));
            return m_architecture->readConfig(config, m_names);
        };
        auto spec = read();
        if (!spec.ok())
            return spec.error().in(file);
        m_spec = std::move(*spec);
        m_endTokens = endTokensIn(config);
        m_labels = labelsIn(config, m_spec.task);
    } catch (const Json::exception& error) {
        return badInput(fmt::format("{}: {}", file, jsonProblem(error, text)));
    }
    if (m_spec.heads < 1 || m_spec.hidden < 1 || m_spec.layers < 1)
        return badInput(fmt::format("{}: a model of {} layers, {} heads and a hidden size of {}", file,
                                    m_spec.layers, m_spec.heads, m_spec.hidden));
    Diagnostics problems;
    Checker check(problems);
    checkModel(m_spec, check);
    // Only training needs two kinds of segments.
    std::erase_if(problems, [](const Diagnostic& problem) { return problem.path == "model.token_types"; });
    if (!problems.empty())
        return toError(problems).in(file);
    return {};
}

ComputeType HuggingFaceFolder::storedType() const
{
    for (const auto& [stored, type] : {std::pair{ElementType::BF16, ComputeType::BFloat16},
                                       {ElementType::F16, ComputeType::Float16},
                                       {ElementType::F64, ComputeType::Float64}}) {
        const auto isOfType = [stored = stored](const auto& tensor) { return tensor.second.type == stored; };
        if (std::ranges::all_of(m_tensors, isOfType))
            return type;
    }
    return ComputeType::Float32;
}

void HuggingFaceFolder::flattenExperts()
{
    for (auto& [name, tensor] : m_tensors) {
        std::vector<std::int64_t>& shape = tensor.shape;
        if (shape.size() != 3 || shape[0] != m_spec.experts.count ||
            !isOfExperts(roleOf(name).parameter, m_spec))
            continue;
        shape = {shape[0] * shape[1], shape[2]};
    }
}

bool HuggingFaceFolder::fusesExperts() const
{
    return std::ranges::any_of(m_names, [&](const std::string& name) { return isOfExperts(name, m_spec); });
}

TensorRole HuggingFaceFolder::roleOf(const std::string& name) const
{
    return m_architecture->roleOf(name, m_spec, m_names);
}

std::vector<fs::path> HuggingFaceFolder::files() const
{
    std::vector<fs::path> files{m_folder / kConfigName};
    if (m_files.front().path().filename() != kWeightsName)
        files.push_back(m_folder / kWeightsIndexName);
    for (const SafetensorsFile& file : m_files)
        files.push_back(file.path());
    return files;
}

} // namespace trainyard
