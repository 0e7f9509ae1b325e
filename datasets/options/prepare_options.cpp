#include "datasets/options/prepare_options.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "datasets/options/prepare_fields.h"
#include "engine/base/counted.h"
#include "engine/base/file.h"
#include "engine/spec/checker.h"

namespace trainyard {

namespace {

constexpr int kMinSequenceLength = 8;
constexpr int kSpecialTokens = 3; // [CLS] A [SEP] B [SEP]

void checkShapes(const PrepareOptions& o, Checker& check)
{
    std::set<int> lengths;
    for (const auto& [length, predictions] : o.shapes) {
        check.require(length >= kMinSequenceLength && length <= PrepareOptions::kMaxSequenceLength,
                      "--seq-len", fmt::format("{} is out of range", length),
                      fmt::format("use {} to {}, usually 128 or 512", kMinSequenceLength,
                                  PrepareOptions::kMaxSequenceLength));
        // Running text and labelled examples have no predictions.
        check.require(o.instances.objective == Objective::Tokens || o.task.kind != TaskKind::None ||
                          (predictions >= 1 && predictions <= length - kSpecialTokens),
                      "--max-pred",
                      fmt::format("{} does not fit a sequence length of {}", predictions, length),
                      "use about 0.16 of the sequence length: 20 for 128, 80 for 512");
        check.require(lengths.insert(length).second, "--seq-len", fmt::format("{} is given twice", length),
                      "use every length once");
    }
}

void checkName(const std::string& name, Checker& check)
{
    check.require(
        isPlainName(name) && name.find("training") == std::string::npos &&
            name.find("test") == std::string::npos,
        "--name", fmt::format("\"{}\" cannot be used in shard names", name),
        "use a plain word without \"training\" and \"test\", which distinguish the two kinds of shards");
}

/// Files that a folder stands for count as one input.
std::size_t inputsOf(const PrepareOptions& o)
{
    if (!o.parts.empty())
        return o.parts.size();
    return o.sources.empty() ? o.dumps.size() : o.sources.back() + 1;
}

void checkWeights(const PrepareOptions& o, Checker& check)
{
    if (o.weights.empty())
        return;
    check.require(
        o.weights.size() == inputsOf(o), "--weights",
        fmt::format("has {} for {}", counted(o.weights.size(), "weight"), counted(inputsOf(o), "input")),
        "give one weight for each file, folder or --documents, in their order");
    check.require(
        std::ranges::all_of(o.weights, [](double weight) { return weight > 0 && std::isfinite(weight); }),
        "--weights", "must be numbers greater than 0", "leave out inputs that should have no share");
}

} // namespace

std::filesystem::path PrepareOptions::folderOf(const RowShape& shape,
                                               const std::filesystem::path& folder) const
{
    return shapes.size() < 2 ? folder : folder / fmt::format("seq{}", shape.sequenceLength);
}

Diagnostics problemsOf(const PrepareOptions& options)
{
    Diagnostics problems;
    Checker check(problems);
    checkName(options.corpus, check);
    checkShapes(options, check);
    checkWeights(options, check);
    describeOptions(options, [&check]<typename Value>(const OptionInfo& info, const Value& value) {
        if constexpr (std::is_arithmetic_v<Value>)
            check.require(info.range.contains(static_cast<double>(value)), info.option,
                          info.isSize ? formatBytes(static_cast<Bytes>(value)) + " is too small"
                                      : fmt::format("{} is out of range", value),
                          info.hint);
    });
    return problems;
}

} // namespace trainyard
