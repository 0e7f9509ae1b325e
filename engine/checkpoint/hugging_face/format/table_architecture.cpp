#include "engine/checkpoint/hugging_face/format/table_architecture.h"

#include <nlohmann/json.hpp>

#include "engine/checkpoint/hugging_face/format/expert_tensors.h"
#include "engine/checkpoint/hugging_face/format/task_config.h"
#include "engine/spec/families/family_table.h"
#include "engine/spec/names.h"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

class TableArchitecture : public Architecture {
public:
    explicit TableArchitecture(ModelFamily family) : m_family(family), m_table(familyTable(family)) {}

    std::string_view modelType() const override { return m_table.huggingFace.modelType; }
    ModelFamily family() const override { return m_family; }
    std::string className(const ModelSpec& model) const override
    {
        return model.task.hasHead() ? taskClass(classPrefix(), model.task.kind)
                                    : std::string(m_table.huggingFace.className);
    }

    Result<ModelSpec> readConfig(const Json& config, const TensorNames&) const override
    {
        ModelSpec model;
        model.setFamily(m_family);
        model.dropout = 0;
        model.attentionDropout = 0;
        readKeys(config, m_table.huggingFace.keys, model);
        if (hasTaskHeads()) {
            TRAINYARD_TRY(model.task, readTask(config, classPrefix(), model.dropout));
        }
        TRAINYARD_TRY_STATUS(m_table.huggingFace.read(config, model));
        return model;
    }

    Json config(const ModelSpec& model, const std::vector<std::string>& labels) const override
    {
        Json config{{"architectures", {className(model)}},
                    {"bos_token_id", nullptr},
                    {"eos_token_id", nullptr},
                    {"model_type", modelType()},
                    {"torch_dtype", "float32"}};
        writeKeys(config, m_table.huggingFace.keys, model);
        m_table.huggingFace.write(config, model);
        if (model.task.hasHead())
            addTask(config, model.task, labels);
        return config;
    }

    // What the configuration says is read again: whatever Hugging Face cannot say differs then.
    Status requireExportable(const ModelSpec& model) const override
    {
        return requireSaid(model, readConfig(config(model, {}), {}));
    }

    TensorRole roleOf(const std::string& storedName, const ModelSpec& model,
                      const TensorNames&) const override
    {
        using Kind = TensorRole::Kind;
        const FamilyNames& names = m_table.names;
        const std::string name = prefixed(storedName);
        if (isBuffer(name))
            return {Kind::Unused, {}};
        if (name.starts_with(std::string(m_table.huggingFace.prefix) + "pooler."))
            return {Kind::OtherHead, name}; // some published files have it
        if (model.tiedHead && name == names.decoder)
            return {Kind::Copy, std::string(names.words)};
        if (const auto expert = roleOfExpert(name, model))
            return *expert;
        if (name == secondBiasName())
            return {Kind::Copy, std::string(names.decoderBias)};
        return {Kind::Parameter, name};
    }

    bool isTransposed(const std::string&) const override { return false; }

    std::string secondName(const std::string&, const ModelSpec&) const override { return {}; }

private:
    bool hasTaskHeads() const { return !m_table.taskHeads.tokens.empty(); }

    /// "Roberta" of RobertaForMaskedLM.
    std::string_view classPrefix() const
    {
        const std::string_view name = m_table.huggingFace.className;
        return name.substr(0, name.find("For"));
    }

    /// Of a class that ties the bias of its decoder to that of its head: older versions saved both.
    std::string secondBiasName() const
    {
        const FamilyNames& names = m_table.names;
        if (names.decoderBias.empty())
            return {};
        std::string name(names.decoder.substr(0, names.decoder.rfind('.')));
        name += ".bias";
        return name == names.decoderBias ? std::string() : name;
    }

    /// Masks and frequencies that older versions stored.
    static bool isBuffer(const std::string& name)
    {
        return name.ends_with(".rotary_emb.inv_freq") || name.ends_with(".attention.bias") ||
               name.ends_with(".attention.masked_bias") || name.ends_with(".embeddings.position_ids");
    }

    std::string prefixed(const std::string& name) const
    {
        const FamilyNames& names = m_table.names;
        if (!name.empty() && name == m_table.huggingFace.oldDecoder)
            return std::string(names.decoder);
        const std::string_view prefix = m_table.huggingFace.prefix;
        const auto isBare = [&](std::string_view whole) {
            return whole.starts_with(prefix) && name.starts_with(firstPart(whole.substr(prefix.size())));
        };
        for (const std::string_view whole : {names.words, names.layers, names.finalNorm}) {
            if (isBare(whole))
                return std::string(prefix) + name;
        }
        return name;
    }

    /// "layers." of "layers", "embeddings." of "embeddings.word_embeddings.weight".
    static std::string firstPart(std::string_view name)
    {
        return std::string(name.substr(0, name.find('.'))) + ".";
    }

    ModelFamily m_family;
    const FamilyTable& m_table;
};

} // namespace

std::unique_ptr<const Architecture> makeTableArchitecture(ModelFamily family)
{
    return std::make_unique<TableArchitecture>(family);
}

} // namespace trainyard
