#include "engine/planner/validation/measured_rows.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "engine/spec/limits.h"

namespace trainyard {

namespace {

using Cells = std::vector<std::string_view>;

enum Column {
    Devices,
    GlobalBatch,
    MicroBatch,
    Hidden,
    Heads,
    Layers,
    Length,
    Tensor,
    Data,
    Pipeline,
    Milliseconds
};
constexpr std::size_t kColumns = 11;
constexpr std::array<std::string_view, kColumns> kHeadings{"# GPUs",
                                                           "global batch",
                                                           "micro batch",
                                                           "hidden size",
                                                           "attention heads",
                                                           "# layers",
                                                           "sequence length",
                                                           "tensor parallelism",
                                                           "data parallelism",
                                                           "pipeline parallelism",
                                                           "iteration time (ms)"};

using Numbers = std::array<double, kColumns>;
using Places = std::array<std::size_t, kColumns>;

constexpr int kGpt2Vocabulary = 50257;
constexpr int kPadding = 128;

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

Cells split(std::string_view text, char separator)
{
    Cells cells;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find(separator, start), text.size());
        cells.push_back(trimmed(text.substr(start, end - start)));
        start = end + 1;
    }
    return cells;
}

Result<Places> placesIn(const Cells& headings)
{
    Places places{};
    for (std::size_t i = 0; i < kColumns; ++i) {
        const auto found = std::find(headings.begin(), headings.end(), kHeadings[i]);
        if (found == headings.end())
            return badInput(fmt::format("line 1: there is no column \"{}\"", kHeadings[i]),
                            "name the columns as data/planner does");
        places[i] = static_cast<std::size_t>(found - headings.begin());
    }
    return places;
}

std::optional<double> positiveNumber(std::string_view cell)
{
    double number = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
    const bool whole = error == std::errc() && end == cell.data() + cell.size();
    return whole && number > 0 ? std::optional(number) : std::nullopt;
}

/// Counts are whole and within what a specification may ask for.
bool makesSense(std::size_t column, double number)
{
    return column == Milliseconds || (number == static_cast<int>(number) && number <= kMostSequences);
}

Result<Numbers> numbersOf(const Cells& cells, const Places& places, std::size_t line)
{
    Numbers numbers{};
    for (std::size_t i = 0; i < kColumns; ++i) {
        const std::string_view cell = places[i] < cells.size() ? cells[places[i]] : std::string_view();
        const auto number = positiveNumber(cell);
        if (!number || *number > 1e9 || !makesSense(i, *number))
            return badInput(fmt::format("line {}: \"{}\" is \"{}\"", line, kHeadings[i], cell),
                            "it must be a number above 0, a whole one unless it is a time");
        numbers[i] = *number;
    }
    return numbers;
}

int vocabularyFor(int tensor)
{
    if (tensor == 1)
        return kGpt2Vocabulary;
    const int multiple = kPadding * tensor;
    return (kGpt2Vocabulary + multiple - 1) / multiple * multiple;
}

ModelSpec modelOf(const Numbers& n)
{
    ModelSpec model;
    model.setFamily(ModelFamily::Gpt);
    model.hidden = static_cast<int>(n[Hidden]);
    model.heads = static_cast<int>(n[Heads]);
    model.layers = static_cast<int>(n[Layers]);
    model.intermediate = 4 * model.hidden;
    model.maxPositions = static_cast<int>(n[Length]);
    model.vocabulary = vocabularyFor(static_cast<int>(n[Tensor]));
    return model;
}

RunSpec specOf(const Numbers& n)
{
    RunSpec spec;
    spec.model = modelOf(n);
    spec.layout.tensor = static_cast<int>(n[Tensor]);
    spec.layout.data = static_cast<int>(n[Data]);
    spec.layout.pipeline = static_cast<int>(n[Pipeline]);
    spec.layout.placement = "PDT";
    spec.batch.global = static_cast<int>(n[GlobalBatch]);
    spec.batch.micro = static_cast<int>(n[MicroBatch]);
    spec.batch.accumulation = spec.batch.global / (spec.batch.micro * spec.layout.data);
    spec.layout.schedule = spec.batch.accumulation >= spec.layout.pipeline
                               ? PipelineScheduleKind::OneForwardOneBackward
                               : PipelineScheduleKind::GPipe;
    spec.precision.compute = ComputeType::Float16;
    spec.memory.recompute = RecomputeKind::Full;
    return spec;
}

Result<MeasuredRow> rowOf(const Numbers& n, std::size_t line)
{
    const RunSpec spec = specOf(n);
    if (spec.layout.worldSize() != static_cast<int>(n[Devices]))
        return badInput(fmt::format("line {}: {} GPUs are not tensor x data x pipeline = {}", line,
                                    n[Devices], spec.layout.worldSize()),
                        "correct the degrees");
    if (spec.batch.accumulation * spec.batch.micro * spec.layout.data != spec.batch.global)
        return badInput(fmt::format("line {}: a global batch of {} does not divide by micro x data = {}",
                                    line, spec.batch.global, spec.batch.micro * spec.layout.data),
                        "correct the batch");
    return MeasuredRow{spec, {static_cast<int>(n[Length]), 0}, n[Milliseconds] / 1000};
}

} // namespace

Result<std::vector<MeasuredRow>> parseMeasuredRows(std::string_view csv)
{
    const Cells lines = split(csv, '\n');
    TRAINYARD_TRY(const Places places, placesIn(split(lines.front(), ',')));
    std::vector<MeasuredRow> rows;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        if (lines[i].empty())
            continue;
        TRAINYARD_TRY(const Numbers numbers, numbersOf(split(lines[i], ','), places, i + 1));
        TRAINYARD_TRY(MeasuredRow row, rowOf(numbers, i + 1));
        rows.push_back(std::move(row));
    }
    if (rows.empty())
        return badInput("there is no row under the heading", "give at least one measured step");
    return rows;
}

} // namespace trainyard
