#include "engine/checkpoint/weights/adapter_weights.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "engine/base/hash.h"
#include "engine/base/untrusted_text.h"
#include "engine/checkpoint/format/box_copy.h"
#include "engine/checkpoint/hugging_face/format/architecture.h"
#include "engine/checkpoint/weights/adapter_config.h"
#include "engine/checkpoint/weights/find_weights.h"
#include "engine/model/adapter_names.h"
#include "engine/model/model_family.h"
#include "engine/spec/lora_targets.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPeftClasses = "base_model.model."; // PEFT's own classes around the model
constexpr std::string_view kWeightEnd = ".weight";

/// Its weights alone are of use.
WeightDescription withoutOptimizer(WeightDescription description)
{
    std::erase_if(description.tensors,
                  [](const StoredTensor& tensor) { return !tensor.name.starts_with(kWeightPrefix); });
    description.optimizer.reset();
    description.updates = 0;
    return description;
}

Result<std::unique_ptr<WeightSource>> openBase(const fs::path& folder, const AdapterConfig& config)
{
    TRAINYARD_TRY(const fs::path named, baseOfAdapters(folder, config));
    TRAINYARD_TRY(const FoundWeights found, findWeights(named));
    const bool hasOwn = isAdapterFolder(found.folder);
    auto base = hasOwn ? Result<std::unique_ptr<WeightSource>>(std::unique_ptr<WeightSource>())
                       : openWeights(found.folder);
    if (base.ok() && (hasOwn || (*base)->description().model.lora.isOn()))
        return badInput(fmt::format("{}: its base {} has adapters itself", folder.string(), named.string()),
                        "export that one with its adapters merged, and name the result in "
                        "base_model_name_or_path");
    return base;
}

/// Finds the places of PEFT's tensors in this engine's model.
class AdapterNaming {
public:
    explicit AdapterNaming(const ModelSpec& model) : m_model(model), m_architecture(architectureOf(model)) {}

    /// The name of the parameter.
    Result<std::string> parameterOf(const std::string& stored)
    {
        if (!stored.starts_with(kPeftClasses))
            return unknown(stored);
        const std::string name = stored.substr(kPeftClasses.size());
        return isOfAdapter(name) ? adapterNamed(stored, name) : headNamed(stored, name);
    }
    /// The products that had adapters, in the order of adaptableProducts().
    std::vector<std::string> targets() const
    {
        std::vector<std::string> targets;
        for (const AdaptableProduct& product : adaptableProducts(m_model)) {
            if (m_adapted.contains(product.name))
                targets.emplace_back(product.name);
        }
        return targets;
    }

private:
    static Error unknown(const std::string& stored)
    {
        return badInput(
            fmt::format("tensor {} is no adapter that this program computes with", shownMessage(stored)),
            "the products that can have one are those of lora.targets; begin with merged weights "
            "instead");
    }

    Result<std::string> adapterNamed(const std::string& stored, const std::string& name)
    {
        const std::size_t end = name.rfind(".lora_");
        const TensorRole role =
            m_architecture.roleOf(name.substr(0, end) + std::string(kWeightEnd), m_model, {});
        const std::string product = role.parameter.substr(
            0, role.parameter.size() - std::min(role.parameter.size(), kWeightEnd.size()));
        for (const AdaptableProduct& adaptable : adaptableProducts(m_model)) {
            if (!isProduct(product, adaptable.name))
                continue;
            m_adapted.insert(adaptable.name);
            return product + name.substr(end);
        }
        return unknown(stored);
    }

    /// PEFT's modules_to_save.
    Result<std::string> headNamed(const std::string& stored, const std::string& name) const
    {
        const TensorRole role = m_architecture.roleOf(name, m_model, {});
        const bool isPlain =
            role.kind == TensorRole::Kind::Parameter || role.kind == TensorRole::Kind::OtherHead;
        if (!isPlain || m_architecture.isTransposed(role.parameter))
            return unknown(stored);
        return role.parameter;
    }

    const ModelSpec& m_model;
    const Architecture& m_architecture;
    std::set<std::string_view> m_adapted;
};

/// Its labels are the rows of the last product; one of a sequence is a number.
TaskSpec taskOf(TaskKind kind, ModelSpec model, const std::map<std::string, TensorBytes>& adapters)
{
    TaskSpec task{.kind = kind};
    model.task = task;
    if (!task.hasHead())
        return task;
    const auto last = adapters.find(fmt::format("{}{}.weight", kWeightPrefix, taskHeadNames(model).output));
    if (last == adapters.end() || last->second.shape.empty())
        return task;
    if (kind == TaskKind::Classify && last->second.shape.front() == 1)
        task.kind = TaskKind::Regress;
    if (task.hasLabels())
        task.labels = static_cast<int>(last->second.shape.front());
    return task;
}

/// Those of the base, with the adapters and the head that replaces its own.
std::vector<StoredTensor> together(const WeightDescription& base,
                                   const std::map<std::string, TensorBytes>& adapters)
{
    std::vector<StoredTensor> tensors;
    for (const auto& [name, tensor] : adapters)
        tensors.push_back({name, tensor.shape, tensor.type});
    for (const StoredTensor& tensor : base.tensors) {
        if (!adapters.contains(tensor.name))
            tensors.push_back(tensor);
    }
    std::ranges::sort(tensors, {}, &StoredTensor::name);
    return tensors;
}

std::string_view textOfAdapter(std::span<const std::byte> bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

} // namespace

Result<std::unique_ptr<WeightSource>> AdapterWeights::open(const fs::path& folder)
{
    TRAINYARD_TRY(const AdapterConfig config, AdapterConfig::read(folder / kAdapterConfigName));
    TRAINYARD_TRY(SafetensorsFile file, SafetensorsFile::open(folder / kAdapterWeightsName));
    TRAINYARD_TRY(auto base, openBase(folder, config));
    WeightDescription description = withoutOptimizer(base->description());
    AdapterNaming naming(description.model);
    Adapters adapters;
    for (const TensorBytes& tensor : file.tensors()) {
        const auto parameter = naming.parameterOf(tensor.name);
        if (!parameter.ok())
            return parameter.error().in(file.path().string());
        adapters.emplace(std::string(kWeightPrefix) + *parameter, tensor);
    }
    description.origin = fmt::format("the adapters {} of {}", folder.string(), description.origin);
    description.tensors = together(description, adapters);
    const std::vector<std::string> targets = naming.targets(); // of the model without lora
    description.model.lora = config.lora;
    description.model.lora.targets = targets;
    if (config.task != TaskKind::None)
        description.model.task = taskOf(config.task, description.model, adapters);
    return std::unique_ptr<WeightSource>(
        new AdapterWeights(std::move(file), std::move(adapters), std::move(base), std::move(description)));
}

AdapterWeights::AdapterWeights(SafetensorsFile file, Adapters adapters, std::unique_ptr<WeightSource> base,
                               WeightDescription description)
    : WeightSource(std::move(description))
    , m_file(std::move(file))
    , m_adapters(std::move(adapters))
    , m_base(std::move(base))
{
}

Status AdapterWeights::read(const StoredTensor& tensor, const TensorBox& box,
                            std::span<std::byte> destination)
{
    const auto found = m_adapters.find(tensor.name);
    if (found == m_adapters.end())
        return m_base->read(tensor, box, destination);
    const TensorBytes& bytes = found->second;
    copyOverlap({{std::vector<std::int64_t>(bytes.shape.size(), 0), bytes.shape}, bytes.bytes},
                {box, destination}, byteSize(bytes.type));
    return {};
}

std::string AdapterWeights::fingerprint() const
{
    Xxh3 hash;
    hash.update(m_base->fingerprint());
    for (const auto& [name, tensor] : m_adapters) {
        hash.update(name);
        hash.update(textOfAdapter(tensor.bytes));
    }
    return hash.hexDigest();
}

std::vector<fs::path> AdapterWeights::files() const
{
    const fs::path folder = m_file.path().parent_path();
    std::vector<fs::path> files{folder / kAdapterConfigName, m_file.path()};
    std::ranges::move(m_base->files(), std::back_inserter(files));
    return files;
}

} // namespace trainyard
