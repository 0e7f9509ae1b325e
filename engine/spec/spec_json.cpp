#include "engine/spec/spec_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/spec/bounded_json.h"
#include "engine/spec/field_json.h"
#include "engine/spec/field_reader.h"
#include "engine/spec/object_reader.h"
#include "engine/spec/validate.h"

namespace trainyard {

namespace {

constexpr JsonLimits kSpecLimits{.values = 2'000'000}; ///< as many nodes as ranks, each with all its settings

void checkVersion(FieldReader& root, Diagnostics& diagnostics)
{
    int version = 0;
    root.read("trainyard", version);
    if (!root.has("trainyard"))
        diagnostics.push_back({"trainyard", "the format version is missing",
                               fmt::format("start the file with \"trainyard\": {}", kSpecVersion)});
    else if (version != kSpecVersion)
        diagnostics.push_back({"trainyard", fmt::format("format version {} is not supported", version),
                               fmt::format("this version of Trainyard reads version {}", kSpecVersion)});
}

void readRoot(const nlohmann::json& json, RunSpec& spec, Diagnostics& diagnostics)
{
    FieldReader root(json, "", diagnostics);
    if (!json.is_object())
        return;
    checkVersion(root, diagnostics);
    readObject(root, spec, diagnostics);
    root.finish();
}

} // namespace

ParsedSpec parseSpec(std::string_view text)
{
    ParsedSpec parsed;
    if (const auto json = parseBoundedJson(text, kSpecLimits); json.ok())
        readRoot(*json, parsed.spec, parsed.diagnostics);
    else
        parsed.diagnostics.push_back(
            {"", json.error().message,
             json.error().hint.empty() ? "give a run specification" : json.error().hint});
    return parsed;
}

namespace {

Result<ParsedSpec> parseFile(const std::filesystem::path& file)
{
    TRAINYARD_TRY(const std::string text, readFile(file));
    return parseSpec(text);
}

Result<RunSpec> specOrError(ParsedSpec parsed, const std::filesystem::path& file)
{
    if (!parsed.diagnostics.empty())
        return toError(parsed.diagnostics).in(file.string());
    return std::move(parsed.spec);
}

} // namespace

Result<ParsedSpec> checkSpec(const std::filesystem::path& file)
{
    TRAINYARD_TRY(ParsedSpec parsed, parseFile(file));
    if (parsed.diagnostics.empty())
        parsed.diagnostics = validate(parsed.spec);
    return parsed;
}

Result<RunSpec> loadSpec(const std::filesystem::path& file)
{
    TRAINYARD_TRY(ParsedSpec parsed, checkSpec(file));
    return specOrError(std::move(parsed), file);
}

Result<RunSpec> readSpec(const std::filesystem::path& file)
{
    TRAINYARD_TRY(ParsedSpec parsed, parseFile(file));
    return specOrError(std::move(parsed), file);
}

std::string toJson(const RunSpec& spec)
{
    OrderedJson json{{"trainyard", kSpecVersion}};
    json.update(objectJson(spec));
    return json.dump(2) + "\n";
}

} // namespace trainyard
