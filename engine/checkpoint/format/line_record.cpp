#include "engine/checkpoint/format/line_record.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/checkpoint/format/stored_file.h"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kName = "line.json";
constexpr int kVersion = 1;

CheckpointLine lineFrom(const Json& json)
{
    return {json.at("line").get<int>(), json.at("parent").get<int>(), json.at("from").get<std::int64_t>()};
}

LineRecord recordFrom(const Json& json)
{
    LineRecord record;
    if (json.at("trainyard_line").get<int>() != kVersion)
        return record;
    record.latest = json.at("latest").get<std::string>();
    std::vector<CheckpointLine> lines;
    for (const Json& line : json.at("lines"))
        lines.push_back(lineFrom(line));
    if (!lines.empty())
        record.lines = std::move(lines);
    return record;
}

} // namespace

Result<LineRecord> LineRecord::load(const std::filesystem::path& checkpoints)
{
    const auto file = StoredFile::open(checkpoints / kName);
    const auto text = file.ok() ? file->content() : Result<std::string>(file.error());
    if (!text.ok())
        return text.error().kind == ErrorKind::Failed ? Result<LineRecord>(text.error()) : LineRecord{};
    try {
        return recordFrom(Json::parse(*text));
    } catch (const Json::exception&) {
        return LineRecord{};
    }
}

Status LineRecord::save(const std::filesystem::path& checkpoints) const
{
    Json list = Json::array();
    for (const CheckpointLine& line : lines)
        list.push_back({{"line", line.number}, {"parent", line.parent}, {"from", line.from}});
    const Json json{{"trainyard_line", kVersion}, {"latest", latest}, {"lines", std::move(list)}};
    return writeFileAtomically(checkpoints / kName, json.dump(1) + "\n");
}

} // namespace trainyard
