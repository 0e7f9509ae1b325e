#include "engine/planner/partition/part_costs_json.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "engine/spec/bounded_json.h"
#include "engine/spec/field_reader.h"

namespace trainyard {

namespace {

constexpr double kMaxSum = 1e100; ///< what a step makes of it is still finite

void readLayers(FieldReader& reader, std::vector<double>& costs, int layers)
{
    const auto* json = reader.take("layers");
    const bool numbers = json && json->is_array() && std::ranges::all_of(*json, [](const auto& number) {
                             return number.is_number() && number.template get<double>() > 0;
                         });
    if (numbers)
        costs = json->get<std::vector<double>>();
    if (static_cast<int>(costs.size()) != layers)
        reader.complain("layers", fmt::format("must be a list of {} positive numbers", layers),
                        "give one for each layer of the model");
}

void readCost(FieldReader& reader, const char* key, double& cost)
{
    reader.read(key, cost);
    if (!(cost >= 0))
        reader.complain(key, "is below 0", "omit it if unknown");
}

double sumOf(const PartCosts& costs)
{
    return std::accumulate(costs.layers.begin(), costs.layers.end(), costs.embeddings + costs.head);
}

} // namespace

Result<PartCosts> parsePartCosts(std::string_view text, int layers)
{
    TRAINYARD_TRY(const nlohmann::json json, parseBoundedJson(text));
    Diagnostics diagnostics;
    PartCosts costs;
    FieldReader reader(json, "", diagnostics);
    readCost(reader, "embeddings", costs.embeddings);
    readLayers(reader, costs.layers, layers);
    readCost(reader, "head", costs.head);
    if (sumOf(costs) > kMaxSum)
        reader.complain("layers", fmt::format("sum up to more than {:g}", kMaxSum), "give seconds");
    reader.finish();
    if (!diagnostics.empty())
        return toError(diagnostics);
    return costs;
}

} // namespace trainyard
