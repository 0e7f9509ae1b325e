#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "engine/spec/run_spec.h"

namespace trainyard {

template <typename... Texts>
constexpr auto nameTable(Texts... names)
{
    return std::array<std::string_view, sizeof...(names)>{names...};
}

// The spelling of enumerators in files, options and on screen, in the order of the enumeration. That is all a
// new enumeration needs to be read, written, chosen in the form and documented.

template <typename Enum>
inline constexpr auto kEnumNames = nameTable();
template <>
inline constexpr auto kEnumNames<ModelFamily> = nameTable("bert", "gpt", "llama", "mistral", "qwen2", "qwen3",
                                                          "olmo2", "gpt_neox", "gemma2", "roberta",
                                                          "modernbert", "mixtral", "qwen3_moe");
template <>
inline constexpr auto kEnumNames<Activation> = nameTable("gelu", "gelu_new", "relu", "swiglu", "silu",
                                                         "geglu", "geglu_new");
template <>
inline constexpr auto kEnumNames<NormKind> = nameTable("layer_norm", "rms_norm", "rms_norm_offset");
template <>
inline constexpr auto kEnumNames<NormPlacement> = nameTable("post", "pre", "both", "output");
template <>
inline constexpr auto kEnumNames<AttentionBiases> = nameTable("all", "qkv", "none");
template <>
inline constexpr auto kEnumNames<QueryKeyNorm> = nameTable("none", "head", "whole");
template <>
inline constexpr auto kEnumNames<RopeScaling> = nameTable("none", "linear", "llama3", "yarn");
template <>
inline constexpr auto kEnumNames<PositionEncoding> = nameTable("learned", "rotary");
template <>
inline constexpr auto kEnumNames<TaskKind> = nameTable("none", "classify", "regress", "tag", "answer",
                                                       "complete");
template <>
inline constexpr auto kEnumNames<OptimizerKind> = nameTable("adamw", "lamb", "lamb-paper", "lans", "sgd");
template <>
inline constexpr auto kEnumNames<ScheduleKind> = nameTable("constant", "linear", "polynomial", "cosine",
                                                           "wsd");
template <>
inline constexpr auto kEnumNames<DecayShape> = nameTable("linear", "cosine", "exponential", "1-sqrt");
template <>
inline constexpr auto kEnumNames<ComputeType> = nameTable("float64", "float32", "bfloat16", "float16");
template <>
inline constexpr auto kEnumNames<PipelineScheduleKind> = nameTable("gpipe", "1f1b", "interleaved",
                                                                   "zero-bubble");
template <>
inline constexpr auto kEnumNames<ExpertPlacement> = nameTable("inner", "outer");
template <>
inline constexpr auto kEnumNames<RecomputeKind> = nameTable("none", "selective", "full");
template <> // ByHand is written as its list
inline constexpr auto kEnumNames<PartitionKind> = nameTable("layers", "parameters", "cost");
template <>
inline constexpr auto kEnumNames<EvaluationMetric> = nameTable("loss", "accuracy");
template <>
inline constexpr auto kEnumNames<DeviceKind> = nameTable("auto", "cpu", "cuda");
template <>
inline constexpr auto kEnumNames<LauncherKind> = nameTable("mpi", "slurm");
template <>
inline constexpr auto kEnumNames<MpiSource> = nameTable("bundled", "node");

template <typename Enum>
concept NamedEnum = std::is_enum_v<Enum> && !kEnumNames<Enum>.empty();

/// "lamb", "bfloat16", "polynomial"; "?" for an enumerator without a name.
template <NamedEnum Enum>
constexpr std::string_view nameOf(Enum value)
{
    const auto index = static_cast<std::size_t>(value);
    return index < kEnumNames<Enum>.size() ? kEnumNames<Enum>[index] : "?";
}

/// The enumerator of that name; nullopt when there is none.
template <NamedEnum Enum>
constexpr std::optional<Enum> enumFromName(std::string_view name)
{
    for (std::size_t index = 0; index < kEnumNames<Enum>.size(); ++index) {
        if (kEnumNames<Enum>[index] == name)
            return static_cast<Enum>(index);
    }
    return std::nullopt;
}

/// "adamw, lamb": for messages and completion.
template <NamedEnum Enum>
std::string acceptedNames()
{
    std::string text;
    for (const std::string_view name : kEnumNames<Enum>)
        text.append(text.empty() ? "" : ", ").append(name);
    return text;
}

} // namespace trainyard
