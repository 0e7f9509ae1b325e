#include "engine/spec/names.h"

#include <array>
#include <string>
#include <utility>

namespace trainyard {

namespace {

template <typename Enum>
struct Names;

template <>
struct Names<ModelFamily> {
    static constexpr std::array table{std::pair{ModelFamily::Bert, std::string_view("bert")},
                                      std::pair{ModelFamily::Gpt, std::string_view("gpt")}};
};
template <>
struct Names<Activation> {
    static constexpr std::array table{std::pair{Activation::Gelu, std::string_view("gelu")},
                                      std::pair{Activation::GeluNew, std::string_view("gelu_new")},
                                      std::pair{Activation::Relu, std::string_view("relu")},
                                      std::pair{Activation::Swiglu, std::string_view("swiglu")}};
};
template <>
struct Names<NormPlacement> {
    static constexpr std::array table{std::pair{NormPlacement::Post, std::string_view("post")},
                                      std::pair{NormPlacement::Pre, std::string_view("pre")}};
};
template <>
struct Names<PositionEncoding> {
    static constexpr std::array table{std::pair{PositionEncoding::Learned, std::string_view("learned")},
                                      std::pair{PositionEncoding::Rotary, std::string_view("rotary")}};
};
template <>
struct Names<OptimizerKind> {
    static constexpr std::array table{std::pair{OptimizerKind::AdamW, std::string_view("adamw")},
                                      std::pair{OptimizerKind::Lamb, std::string_view("lamb")},
                                      std::pair{OptimizerKind::LambPaper, std::string_view("lamb-paper")},
                                      std::pair{OptimizerKind::Lans, std::string_view("lans")},
                                      std::pair{OptimizerKind::Sgd, std::string_view("sgd")}};
};
template <>
struct Names<ScheduleKind> {
    static constexpr std::array table{std::pair{ScheduleKind::Constant, std::string_view("constant")},
                                      std::pair{ScheduleKind::Linear, std::string_view("linear")},
                                      std::pair{ScheduleKind::Polynomial, std::string_view("polynomial")},
                                      std::pair{ScheduleKind::Cosine, std::string_view("cosine")}};
};
template <>
struct Names<ComputeType> {
    static constexpr std::array table{std::pair{ComputeType::Float64, std::string_view("float64")},
                                      std::pair{ComputeType::Float32, std::string_view("float32")},
                                      std::pair{ComputeType::BFloat16, std::string_view("bfloat16")},
                                      std::pair{ComputeType::Float16, std::string_view("float16")}};
};
template <>
struct Names<PipelineScheduleKind> {
    static constexpr std::array table{
        std::pair{PipelineScheduleKind::GPipe, std::string_view("gpipe")},
        std::pair{PipelineScheduleKind::OneForwardOneBackward, std::string_view("1f1b")},
        std::pair{PipelineScheduleKind::Interleaved, std::string_view("interleaved")},
        std::pair{PipelineScheduleKind::ZeroBubble, std::string_view("zero-bubble")}};
};

template <>
struct Names<RecomputeKind> {
    static constexpr std::array table{std::pair{RecomputeKind::None, std::string_view("none")},
                                      std::pair{RecomputeKind::Selective, std::string_view("selective")},
                                      std::pair{RecomputeKind::Full, std::string_view("full")}};
};

template <>
struct Names<PartitionKind> {
    static constexpr std::array table{std::pair{PartitionKind::Layers, std::string_view("layers")},
                                      std::pair{PartitionKind::Parameters, std::string_view("parameters")},
                                      std::pair{PartitionKind::Cost, std::string_view("cost")}};
};

template <>
struct Names<DeviceKind> {
    static constexpr std::array table{std::pair{DeviceKind::Auto, std::string_view("auto")},
                                      std::pair{DeviceKind::Cpu, std::string_view("cpu")},
                                      std::pair{DeviceKind::Cuda, std::string_view("cuda")}};
};

template <>
struct Names<LauncherKind> {
    static constexpr std::array table{std::pair{LauncherKind::Mpi, std::string_view("mpi")},
                                      std::pair{LauncherKind::Slurm, std::string_view("slurm")}};
};

template <typename Enum>
std::string_view lookUp(Enum value)
{
    for (const auto& [known, name] : Names<Enum>::table) {
        if (known == value)
            return name;
    }
    return "?";
}

} // namespace

std::string_view nameOf(ModelFamily value)
{
    return lookUp(value);
}
std::string_view nameOf(Activation value)
{
    return lookUp(value);
}
std::string_view nameOf(NormPlacement value)
{
    return lookUp(value);
}
std::string_view nameOf(PositionEncoding value)
{
    return lookUp(value);
}
std::string_view nameOf(OptimizerKind value)
{
    return lookUp(value);
}
std::string_view nameOf(ScheduleKind value)
{
    return lookUp(value);
}
std::string_view nameOf(ComputeType value)
{
    return lookUp(value);
}
std::string_view nameOf(PipelineScheduleKind value)
{
    return lookUp(value);
}
std::string_view nameOf(RecomputeKind value)
{
    return lookUp(value);
}

std::string_view nameOf(PartitionKind value)
{
    return lookUp(value);
}
std::string_view nameOf(DeviceKind value)
{
    return lookUp(value);
}
std::string_view nameOf(LauncherKind value)
{
    return lookUp(value);
}

template <typename Enum>
std::optional<Enum> enumFromName(std::string_view name)
{
    for (const auto& [value, known] : Names<Enum>::table) {
        if (known == name)
            return value;
    }
    return std::nullopt;
}

template <typename Enum>
std::string_view acceptedNames()
{
    static const std::string joined = [] {
        std::string text;
        for (const auto& [value, name] : Names<Enum>::table)
            text += (text.empty() ? "" : ", ") + std::string(name);
        return text;
    }();
    return joined;
}

template std::optional<ModelFamily> enumFromName(std::string_view);
template std::optional<Activation> enumFromName(std::string_view);
template std::optional<NormPlacement> enumFromName(std::string_view);
template std::optional<PositionEncoding> enumFromName(std::string_view);
template std::optional<OptimizerKind> enumFromName(std::string_view);
template std::optional<ScheduleKind> enumFromName(std::string_view);
template std::optional<ComputeType> enumFromName(std::string_view);
template std::optional<PipelineScheduleKind> enumFromName(std::string_view);
template std::optional<PartitionKind> enumFromName(std::string_view);
template std::optional<RecomputeKind> enumFromName(std::string_view);
template std::optional<DeviceKind> enumFromName(std::string_view);
template std::optional<LauncherKind> enumFromName(std::string_view);
template std::string_view acceptedNames<ModelFamily>();
template std::string_view acceptedNames<Activation>();
template std::string_view acceptedNames<NormPlacement>();
template std::string_view acceptedNames<PositionEncoding>();
template std::string_view acceptedNames<OptimizerKind>();
template std::string_view acceptedNames<ScheduleKind>();
template std::string_view acceptedNames<ComputeType>();
template std::string_view acceptedNames<PipelineScheduleKind>();
template std::string_view acceptedNames<PartitionKind>();
template std::string_view acceptedNames<RecomputeKind>();
template std::string_view acceptedNames<DeviceKind>();
template std::string_view acceptedNames<LauncherKind>();

} // namespace trainyard
