#include "engine/spec/sweep.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/parsed_number.h"
#include "engine/base/philox.h"
#include "engine/spec/spec_json.h"
#include "engine/spec/validate.h"

namespace trainyard {

namespace {

using nlohmann::json;

constexpr std::string_view kRange = "..";

std::optional<double> numberIn(std::string_view text)
{
    const auto number = parsedNumber<double>(text);
    return number && std::isfinite(*number) ? number : std::nullopt;
}

std::vector<std::string> partsOf(std::string_view text)
{
    std::vector<std::string> parts;
    for (;;) {
        const std::size_t comma = text.find(',');
        parts.emplace_back(text.substr(0, comma));
        if (comma == std::string_view::npos)
            return parts;
        text.remove_prefix(comma + 1);
    }
}

/// "cluster.nodes[0].slots" -> "/cluster/nodes/0/slots".
json::json_pointer pointerTo(const std::string& path)
{
    std::string pointer = "/";
    for (const char character : path) {
        if (character == '.' || character == '[')
            pointer += '/';
        else if (character != ']')
            pointer += character;
    }
    return json::json_pointer(pointer);
}

/// Numbers, true and lists as JSON has them; all else is a string.
json valueOf(const std::string& text)
{
    json value = json::parse(text, nullptr, false);
    return value.is_discarded() || value.is_object() ? json(text) : value;
}

Result<SweepPoint> pointOf(const RunSpec& spec, std::vector<FieldChange> changes)
try {
    json document = json::parse(toJson(spec));
    for (const FieldChange& change : changes) {
        if (change.path == "model.preset") // the shape of the model before would overrule it
            document["model"] = {{"preset", change.value}, {"vocabulary", spec.model.vocabulary}};
        else
            document[pointerTo(change.path)] = valueOf(change.value);
    }
    ParsedSpec parsed = parseSpec(document.dump());
    if (parsed.diagnostics.empty())
        parsed.diagnostics = validate(parsed.spec);
    if (!parsed.diagnostics.empty()) {
        Error error = toError(parsed.diagnostics);
        error.message = fmt::format("with {}: {}", textOf(changes), error.message);
        return error;
    }
    return SweepPoint{std::move(parsed.spec), std::move(changes)};
} catch (const json::exception&) {
    return badInput(fmt::format("a specification has no field {}", changes.back().path),
                    "`trainyard help` and resources/schema list the fields");
}

Status checkVariations(const std::vector<Variation>& variations)
{
    if (variations.empty())
        return badInput("a sweep needs at least one field to vary", "add --vary FIELD=V1,V2");
    std::set<std::string> paths;
    for (const Variation& variation : variations) {
        if (!paths.insert(variation.path).second)
            return badInput(variation.path + " is varied twice", "give all its values in one --vary");
    }
    return {};
}

Status checkSize(std::size_t runs)
{
    if (runs > std::size_t(kMaxSweepRuns))
        return badInput(fmt::format("the sweep has {} runs, more than {}", runs, kMaxSweepRuns),
                        "vary fewer values, or draw some with --random N");
    return {};
}

/// In [0, 1): of run `run` and variation `field`.
double drawn(std::uint64_t seed, int run, int field)
{
    const PhiloxCounter words = philox({std::uint32_t(run), std::uint32_t(field), 0, 0}, philoxKey(seed));
    return double(words[0]) / 4294967296.0;
}

std::string valueAt(const Variation& variation, double share)
{
    if (!variation.isRange())
        return variation.values[std::size_t(share * double(variation.values.size()))];
    const bool isWide = variation.low > 0 && variation.high >= 10 * variation.low;
    const double value = isWide ? variation.low * std::pow(variation.high / variation.low, share)
                                : variation.low + share * (variation.high - variation.low);
    return fmt::format("{:.4g}", value);
}

} // namespace

Result<Variation> parseVariation(std::string_view text)
{
    const std::string form = "write FIELD=V1,V2 or FIELD=LOW..HIGH, as in optimizer.learning_rate=1e-3,3e-4";
    const std::size_t sign = text.find('=');
    if (sign == 0 || sign == std::string_view::npos || sign + 1 == text.size())
        return badInput("\"" + std::string(text) + "\" names no field with values", form);
    Variation variation{std::string(text.substr(0, sign))};
    const std::string_view values = text.substr(sign + 1);
    if (const std::size_t dots = values.find(kRange); dots != std::string_view::npos) {
        const auto low = numberIn(values.substr(0, dots));
        const auto high = numberIn(values.substr(dots + kRange.size()));
        if (!low || !high || *low >= *high)
            return badInput("\"" + std::string(values) + "\" is no range of numbers",
                            "write LOW..HIGH, as in 1e-4..1e-2");
        variation.low = *low;
        variation.high = *high;
        return variation;
    }
    variation.values = partsOf(values);
    if (std::ranges::count(variation.values, std::string()) > 0)
        return badInput("\"" + std::string(text) + "\" has an empty value", form);
    return variation;
}

Result<std::vector<SweepPoint>> gridSweep(const RunSpec& spec, const std::vector<Variation>& variations)
{
    TRAINYARD_TRY_STATUS(checkVariations(variations));
    std::size_t runs = 1;
    for (const Variation& variation : variations) {
        if (variation.isRange())
            return badInput(variation.path + " has a range, which no grid can go through",
                            "give values, or draw some with --random N");
        runs *= variation.values.size();
        TRAINYARD_TRY_STATUS(checkSize(runs));
    }
    std::vector<SweepPoint> points;
    for (std::size_t run = 0; run < runs; ++run) {
        std::vector<FieldChange> changes(variations.size());
        std::size_t rest = run;
        for (std::size_t field = variations.size(); field-- > 0;) {
            const std::vector<std::string>& values = variations[field].values;
            changes[field] = {variations[field].path, values[rest % values.size()]};
            rest /= values.size();
        }
        TRAINYARD_TRY(SweepPoint point, pointOf(spec, std::move(changes)));
        points.push_back(std::move(point));
    }
    return points;
}

Result<std::vector<SweepPoint>> randomSweep(const RunSpec& spec, const std::vector<Variation>& variations,
                                            int runs, std::uint64_t seed)
{
    TRAINYARD_TRY_STATUS(checkVariations(variations));
    if (runs < 1)
        return badInput(fmt::format("a sweep of {} runs is none", runs), "draw at least one with --random N");
    TRAINYARD_TRY_STATUS(checkSize(std::size_t(runs)));
    std::vector<SweepPoint> points;
    for (int run = 0; run < runs; ++run) {
        std::vector<FieldChange> changes;
        for (std::size_t field = 0; field < variations.size(); ++field)
            changes.push_back(
                {variations[field].path, valueAt(variations[field], drawn(seed, run, int(field)))});
        TRAINYARD_TRY(SweepPoint point, pointOf(spec, std::move(changes)));
        points.push_back(std::move(point));
    }
    return points;
}

} // namespace trainyard
