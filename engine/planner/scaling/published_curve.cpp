#include "engine/planner/scaling/published_curve.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include <nlohmann/json.hpp>

#include "engine/base/check.h"
#include "engine/planner/scaling/embedded_curves.h"
#include "engine/planner/time/step_stats.h"
#include "engine/spec/bounded_json.h"
#include "engine/spec/field_reader.h"
#include "engine/spec/spec_json.h"

namespace trainyard {

namespace {

const std::map<std::string, Scaling> kScalings{{"strong", Scaling::Strong}, {"weak", Scaling::Weak}};

void readScaling(FieldReader& reader, Scaling& scaling)
{
    std::string name;
    reader.read("scaling", name);
    const auto found = kScalings.find(name);
    if (found == kScalings.end())
        reader.complain("scaling", "unknown value \"" + name + "\"", "use one of: strong, weak");
    else
        scaling = found->second;
}

void readRun(FieldReader& reader, RunSpec& run, Diagnostics& diagnostics)
{
    const auto* json = reader.take("run");
    ParsedSpec parsed = parseSpec(json ? json->dump() : std::string());
    run = std::move(parsed.spec);
    for (Diagnostic& problem : parsed.diagnostics) {
        problem.path = reader.pathOf("run") + (problem.path.empty() ? "" : "." + problem.path);
        diagnostics.push_back(std::move(problem));
    }
}

/// Sequences per second, of operations per second and device.
double sequencesOf(double deviceRate, int devices, const PublishedCurve& curve)
{
    const double perSequence = stepOperations(curve.run, curve.shape).hardware / curve.run.batch.global;
    return deviceRate * devices / perSequence;
}

void readPoint(FieldReader& reader, PublishedCurve& curve)
{
    PublishedPoint& point = curve.points.emplace_back();
    double deviceRate = 0;
    reader.read("devices", point.devices);
    reader.read("sequences_per_second", point.sequencesPerSecond);
    reader.read("device_rate", deviceRate);
    if (deviceRate > 0)
        point.sequencesPerSecond = sequencesOf(deviceRate, point.devices, curve);
    if (point.devices < 1 || !(point.sequencesPerSecond > 0))
        reader.complain("devices", "needs a number of devices and their throughput",
                        "give \"sequences_per_second\" or \"device_rate\"");
}

void readPoints(FieldReader& reader, PublishedCurve& curve, Diagnostics& diagnostics)
{
    readItems(reader, "points", diagnostics, [&](FieldReader& point) { readPoint(point, curve); });
    const auto ascending = [](const PublishedPoint& a, const PublishedPoint& b) {
        return a.devices < b.devices;
    };
    if (curve.points.empty() || !std::is_sorted(curve.points.begin(), curve.points.end(), ascending))
        reader.complain("points", "needs at least one point, in order of devices",
                        "sort the points by devices, fewest first");
}

void compareWithFirst(std::vector<PublishedPoint>& points)
{
    const PublishedPoint first = points.front();
    for (PublishedPoint& point : points)
        point.efficiency =
            point.sequencesPerSecond / point.devices / (first.sequencesPerSecond / first.devices);
}

std::vector<PublishedCurve> allPublished()
{
    std::vector<PublishedCurve> curves;
    for (const EmbeddedFile& file : embeddedPublishedCurves()) {
        ParsedCurve parsed = parsePublished(file.content);
        TRAINYARD_CHECK_MSG(parsed.diagnostics.empty(),
                            std::string(file.name) + ": " + toError(parsed.diagnostics).text());
        parsed.curve.name = file.name;
        curves.push_back(std::move(parsed.curve));
    }
    return curves;
}

} // namespace

ParsedCurve parsePublished(std::string_view text)
{
    ParsedCurve parsed;
    const auto json = parseBoundedJson(text);
    if (!json.ok()) {
        parsed.diagnostics.push_back({"", json.error().message, json.error().hint});
        return parsed;
    }
    PublishedCurve& curve = parsed.curve;
    FieldReader reader(*json, "", parsed.diagnostics);
    reader.read("title", curve.title);
    reader.read("source", curve.source);
    reader.read("assumed", curve.assumed);
    reader.read("hardware", curve.hardware);
    reader.read("length", curve.shape.length);
    reader.read("predictions", curve.shape.maxPredictions);
    readScaling(reader, curve.scaling);
    readRun(reader, curve.run, parsed.diagnostics);
    readPoints(reader, curve, parsed.diagnostics);
    reader.finish();
    if (parsed.diagnostics.empty())
        compareWithFirst(curve.points);
    return parsed;
}

const std::vector<PublishedCurve>& publishedCurves()
{
    static const std::vector<PublishedCurve> curves = allPublished();
    return curves;
}

std::vector<PublishedCurve> publishedCurvesOf(const ModelSpec& model)
{
    const std::vector<PublishedCurve>& all = publishedCurves();
    std::vector<PublishedCurve> found;
    std::copy_if(all.begin(), all.end(), std::back_inserter(found), [&](const PublishedCurve& curve) {
        const ModelSpec& other = curve.run.model;
        return std::tie(other.family, other.layers, other.hidden, other.heads) ==
               std::tie(model.family, model.layers, model.hidden, model.heads);
    });
    return found;
}

} // namespace trainyard
