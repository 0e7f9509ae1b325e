#include "engine/checkpoint/weights/adapter_config.h"

#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/base/json_problem.h"
#include "engine/base/untrusted_text.h"
#include "engine/checkpoint/hugging_face/format/hugging_face_folder.h"
#include "engine/spec/limits.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

using AdapterFields = nlohmann::json;

constexpr const char* kInsteadOfAdapters =
    "begin with merged weights: those that `trainyard export` writes without --adapters, or PEFT's "
    "merge_and_unload()";

/// Null where it is missing or null.
AdapterFields entryOf(const AdapterFields& config, const char* key)
{
    const auto found = config.find(key);
    return found == config.end() ? AdapterFields() : *found;
}

Status unsupportedOption(const char* key, const AdapterFields& value)
{
    return badInput(fmt::format("{} is {}, which is not supported", key, shownMessage(value.dump())),
                    kInsteadOfAdapters);
}

/// Each of them changes what the adapters compute.
Status checkAdapterOptions(const AdapterFields& config)
{
    if (const AdapterFields type = entryOf(config, "peft_type"); type != "LORA")
        return unsupportedOption("peft_type", type);
    for (const char* flag : {"use_rslora", "use_dora", "lora_bias"}) {
        if (const AdapterFields value = entryOf(config, flag); !value.is_null() && value != false)
            return unsupportedOption(flag, value);
    }
    if (const AdapterFields bias = entryOf(config, "bias"); !bias.is_null() && bias != "none")
        return unsupportedOption("bias", bias);
    for (const char* pattern : {"rank_pattern", "alpha_pattern"}) {
        if (const AdapterFields value = entryOf(config, pattern); !value.empty())
            return unsupportedOption(pattern, value);
    }
    return {};
}

TaskKind taskNamed(const AdapterFields& type)
{
    constexpr std::array<std::pair<const char*, TaskKind>, 3> kTasks{
        {{"SEQ_CLS", TaskKind::Classify}, {"TOKEN_CLS", TaskKind::Tag}, {"QUESTION_ANS", TaskKind::Answer}}};
    for (const auto& [name, task] : kTasks) {
        if (type == name)
            return task;
    }
    return TaskKind::None;
}

/// Throws for missing keys and wrong types.
Result<AdapterConfig> configFrom(const AdapterFields& config)
{
    TRAINYARD_TRY_STATUS(checkAdapterOptions(config));
    AdapterConfig read;
    read.lora.rank = config.at("r").get<int>();
    read.lora.alpha = config.at("lora_alpha").get<double>();
    read.lora.dropout = config.value("lora_dropout", 0.0);
    read.task = taskNamed(entryOf(config, "task_type"));
    if (const AdapterFields base = entryOf(config, "base_model_name_or_path"); !base.is_null())
        read.base = base.get<std::string>();
    if (read.lora.rank < 1 || read.lora.rank > kMaxLoraRank)
        return badInput(fmt::format("r is {}", read.lora.rank),
                        fmt::format("1 to {} are supported", kMaxLoraRank));
    if (!(read.lora.alpha > 0))
        return badInput(fmt::format("lora_alpha is {}", read.lora.alpha), "it must be above 0");
    return read;
}

bool existsThere(const fs::path& path)
{
    std::error_code ignored;
    return fs::exists(path, ignored);
}

fs::path withoutEndingSlash(const fs::path& path)
{
    return path.has_filename() ? path : path.parent_path();
}

std::optional<fs::path> placeOfBase(const fs::path& adapters, const fs::path& base)
{
    if (base.empty())
        return std::nullopt;
    const fs::path beside = adapters.parent_path();
    // An absolute path replaces what is before it.
    for (const fs::path& place : {adapters / base, beside / base, beside / base.filename()}) {
        std::error_code ignored;
        if (fs::is_directory(place, ignored))
            return place;
    }
    return std::nullopt;
}

} // namespace

Result<AdapterConfig> AdapterConfig::read(const fs::path& file)
{
    TRAINYARD_TRY(const std::string text, readFile(file));
    try {
        auto config = configFrom(AdapterFields::parse(text));
        if (!config.ok())
            return config.error().in(file.string());
        return config;
    } catch (const AdapterFields::exception& error) {
        return badInput(fmt::format("{}: {}", file.string(), jsonProblem(error, text)));
    }
}

bool isAdapterFolder(const fs::path& folder)
{
    return existsThere(folder / kAdapterConfigName) && !existsThere(folder / kWeightsName) &&
           !existsThere(folder / kWeightsIndexName);
}

Result<fs::path> baseOfAdapters(const fs::path& folder, const AdapterConfig& config)
{
    if (const auto place =
            placeOfBase(withoutEndingSlash(fs::absolute(folder)), withoutEndingSlash(config.base)))
        return *place;
    return badInput(fmt::format("{}: this folder has adapters only, and {}", folder.string(),
                                config.base.empty()
                                    ? std::string("names no base_model_name_or_path")
                                    : fmt::format("its base_model_name_or_path, {}, is no folder here",
                                                  shownMessage(config.base))),
                    fmt::format("name the folder of the base model in {}, put it next to this one, or {}",
                                kAdapterConfigName, kInsteadOfAdapters));
}

} // namespace trainyard
