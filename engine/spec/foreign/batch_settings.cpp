#include "engine/spec/foreign/batch_settings.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "engine/spec/limits.h"

namespace trainyard {

namespace {

/// In whole sequences, and wide enough for products of three settings.
using Count = std::int64_t;

Count ranksOfOneReplica(const ParallelLayout& layout)
{
    return std::max<Count>(1, Count{layout.tensor} * layout.pipeline * layout.context);
}

/// The quotient, or nothing with a problem that shows the equation.
std::optional<Count> divided(Count number, Count divisor, const char* path, const char* equation,
                             ImportedSpec& imported)
{
    if (number % divisor == 0)
        return number / divisor;
    imported.problems.push_back({path,
                                 fmt::format("{} does not divide by {} ({})", number, divisor, equation),
                                 fmt::format("use a multiple of {}, or give the number of ranks", divisor)});
    return std::nullopt;
}

/// A batch that is said in full says how many ranks there are, too.
bool agreesWithRanks(std::optional<Count> data, std::optional<int> ranks, Count replica,
                     ImportedSpec& imported)
{
    if (!data || !ranks || *data * replica == *ranks)
        return true;
    imported.problems.push_back(
        {"batch.global",
         fmt::format(
             "global batch, micro-batch and accumulation make {} data-parallel ranks of {}, which are "
             "{} ranks, not {}",
             *data, replica, *data * replica, *ranks),
         "give the number of ranks that the settings were written for, or leave it out"});
    return false;
}

std::optional<Count> dataDegree(const BatchSettings& said, const ImportBase& base, ImportedSpec& imported)
{
    const Count replica = ranksOfOneReplica(imported.spec.layout);
    if (said.global && said.micro && said.accumulation) {
        const auto data = divided(*said.global, Count{*said.micro} * *said.accumulation, "batch.global",
                                  "micro x accumulation", imported);
        return agreesWithRanks(data, base.ranks, replica, imported) ? data : std::nullopt;
    }
    if (base.ranks)
        return divided(*base.ranks, replica, "layout", "ranks / (tensor x pipeline x context)", imported);
    return std::max<Count>(1, base.spec.cluster.totalSlots() / replica);
}

/// Sequences of one rank in one micro-batch.
std::optional<Count> microBatch(const BatchSettings& said, const BatchSpec& base, Count data,
                                ImportedSpec& imported)
{
    if (said.micro)
        return *said.micro;
    if (said.global)
        return divided(*said.global, data * said.accumulation.value_or(1), "batch.global",
                       "data-parallel degree x accumulation", imported);
    return base.micro;
}

std::optional<Count> accumulation(const BatchSettings& said, const BatchSpec& base, Count data,
                                  ImportedSpec& imported)
{
    if (said.accumulation)
        return *said.accumulation;
    if (said.global && said.micro)
        return divided(*said.global, data * *said.micro, "batch.global", "data-parallel degree x micro",
                       imported);
    return said.global || said.micro ? 1 : base.accumulation;
}

} // namespace

void settleBatch(const BatchSettings& said, const ImportBase& base, ImportedSpec& imported)
{
    const auto data = dataDegree(said, base, imported);
    if (!data)
        return;
    const auto micro = microBatch(said, base.spec.batch, *data, imported);
    const auto steps = accumulation(said, base.spec.batch, *data, imported);
    if (!micro || !steps)
        return;
    const double global =
        static_cast<double>(*data) * static_cast<double>(*micro) * static_cast<double>(*steps);
    if (*data < 1 || *data > kMaxRanks || global < 1 || global > std::numeric_limits<int>::max()) {
        imported.problems.push_back(
            {"batch.global",
             fmt::format("micro {} x accumulation {} x data-parallel degree {} cannot be a "
                         "batch",
                         *micro, *steps, *data),
             "check these numbers and the number of ranks"});
        return;
    }
    imported.spec.layout.data = static_cast<int>(*data);
    imported.spec.batch.micro = static_cast<int>(*micro);
    imported.spec.batch.accumulation = static_cast<int>(*steps);
    imported.spec.batch.global = static_cast<int>(global);
}

} // namespace trainyard
