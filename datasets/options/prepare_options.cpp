#include "datasets/options/prepare_options.h"

#include <set>

#include "datasets/options/prepare_fields.h"
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
