#include "engine/planner/calibration/measured_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "engine/base/csv_reader.h"
#include "engine/base/parsed_number.h"
#include "engine/spec/limits.h"
#include "engine/spec/validate.h"

namespace trainyard {

namespace {

using Cells = std::vector<std::string>;

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

struct ColumnRule {
    std::string_view heading;
    double most; ///< what a specification may ask for; of times a month
};
constexpr std::size_t kColumns = 11;
constexpr std::array<ColumnRule, kColumns> kRules{{{"# GPUs", kMaxRanks},
                                                   {"global batch", kMaxSequences},
                                                   {"micro batch", kMaxSequences},
                                                   {"hidden size", kMaxWidth},
                                                   {"attention heads", kMaxWidth},
                                                   {"# layers", kMaxLayers},
                                                   {"sequence length", kMaxEntries},
                                                   {"tensor parallelism", kMaxRanks},
                                                   {"data parallelism", kMaxRanks},
                                                   {"pipeline parallelism", kMaxRanks},
                                                   {"iteration time (ms)", 2.592e9}}};

using Numbers = std::array<double, kColumns>;
using Places = std::array<std::size_t, kColumns>;

constexpr int kGpt2Vocabulary = 50257;
constexpr int kPadding = 128;

std::string lineName(std::size_t line)
{
    return fmt::format("line {}", line);
}

Status namesEveryColumnOnce(const Cells& headings)
{
    std::string missing;
    for (const ColumnRule& rule : kRules) {
        const auto count = std::count(headings.begin(), headings.end(), rule.heading);
        if (count > 1)
            return badInput(fmt::format("there are {} columns \"{}\"", count, rule.heading),
                            "keep only one of them");
        if (count == 0)
            missing += fmt::format("{}\"{}\"", missing.empty() ? "" : ", ", rule.heading);
    }
    if (missing.empty())
        return {};
    return badInput("there is no column " + missing,
                    "separate columns by commas, and name them as data/planner does");
}

Result<Places> placesIn(const Cells& headings)
{
    TRAINYARD_TRY_STATUS(namesEveryColumnOnce(headings));
    Places places{};
    for (std::size_t i = 0; i < kColumns; ++i) {
        const auto found = std::find(headings.begin(), headings.end(), kRules[i].heading);
        places[i] = static_cast<std::size_t>(found - headings.begin());
    }
    return places;
}

std::optional<double> positiveNumber(std::string_view cell)
{
    const auto number = parsedNumber<double>(cell);
    return number && *number > 0 ? number : std::nullopt;
}

bool makesSense(std::size_t column, double number)
{
    return number <= kRules[column].most && (column == Milliseconds || number == std::floor(number));
}

Result<Numbers> numbersOf(const Cells& cells, const Places& places)
{
    Numbers numbers{};
    for (std::size_t i = 0; i < kColumns; ++i) {
        const std::string_view cell = places[i] < cells.size() ? cells[places[i]] : std::string_view();
        const auto number = positiveNumber(cell);
        if (!number || !makesSense(i, *number))
            return badInput(fmt::format("\"{}\" is \"{}\"", kRules[i].heading, cell),
                            fmt::format("it must be above 0 and at most {}: a time may have a decimal point, "
                                        "other values are whole numbers",
                                        kRules[i].most));
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

/// With a cluster and a data set that leave nothing to object to but what the row says.
RunSpec specOf(const Numbers& n, std::int64_t accumulation)
{
    RunSpec spec;
    spec.model = modelOf(n);
    spec.layout.tensor = static_cast<int>(n[Tensor]);
    spec.layout.data = static_cast<int>(n[Data]);
    spec.layout.pipeline = static_cast<int>(n[Pipeline]);
    spec.layout.placement = "PDT";
    spec.batch = {static_cast<int>(n[GlobalBatch]), static_cast<int>(n[MicroBatch]),
                  static_cast<int>(accumulation)};
    spec.layout.schedule = accumulation >= spec.layout.pipeline ? PipelineScheduleKind::OneForwardOneBackward
                                                                : PipelineScheduleKind::GPipe;
    spec.precision.compute = ComputeType::Float16;
    spec.memory.recompute = RecomputeKind::Full;
    spec.cluster.nodes.front().slotCount = static_cast<int>(n[Devices]);
    spec.dataset.path = "/";
    return spec;
}

Result<MeasuredRow> rowOf(const Numbers& n, std::size_t line)
{
    const double ranks = n[Tensor] * n[Data] * n[Pipeline];
    if (ranks != n[Devices])
        return badInput(fmt::format("{} GPUs are not tensor x data x pipeline = {}", n[Devices], ranks),
                        "correct the degrees");
    const auto perPass = static_cast<std::int64_t>(n[MicroBatch] * n[Data]);
    const auto global = static_cast<std::int64_t>(n[GlobalBatch]);
    if (global % perPass != 0)
        return badInput(
            fmt::format("a global batch of {} is not a multiple of micro x data = {}", global, perPass),
            "correct the batch");
    const RunSpec spec = specOf(n, global / perPass);
    if (const Diagnostics problems = validate(spec); !problems.empty())
        return toError(problems);
    return MeasuredRow{spec, {static_cast<int>(n[Length]), 0}, n[Milliseconds] / 1000, line};
}

Result<MeasuredRow> parseRow(const Cells& cells, std::size_t headings, const Places& places, std::size_t line)
{
    if (cells.size() > headings)
        return badInput(fmt::format("there are {} cells, but {} column names", cells.size(), headings),
                        "write fractions with a decimal point, or put the cell in quotes");
    TRAINYARD_TRY(const Numbers numbers, numbersOf(cells, places));
    return rowOf(numbers, line);
}

} // namespace

Result<std::vector<MeasuredRow>> parseMeasuredRows(std::string_view csv)
{
    CsvReader reader(csv);
    Cells headings, cells;
    TRAINYARD_TRY_STATUS(reader.next(headings));
    const auto places = placesIn(headings);
    if (!places.ok())
        return places.error().in(lineName(reader.line()));
    std::vector<MeasuredRow> rows;
    for (;;) {
        TRAINYARD_TRY(const bool isRow, reader.next(cells));
        if (!isRow)
            break;
        auto row = parseRow(cells, headings.size(), *places, reader.line());
        if (!row.ok())
            return row.error().in(lineName(reader.line()));
        rows.push_back(std::move(*row));
    }
    if (rows.empty())
        return badInput("there are no rows below the header", "give at least one measured step");
    return rows;
}

} // namespace trainyard
