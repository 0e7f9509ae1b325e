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
    return {json.at("line").get<int>(), json.at("parent").get<int>(), json.at("from").get<std::int64_t>(),
            json.value("id", std::string())};
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
    record.hosts = json.value("hosts", std::vector<std::string>());
    return record;
}

Json jsonOf(const CheckpointLine& line)
{
    Json json{{"line", line.number}, {"parent", line.parent}, {"from", line.from}};
    if (!line.id.empty())
        json["id"] = line.id;
    return json;
}

} // namespace

bool LineRecord::continues(const LineRecord& other) const
{
    return other.lines.size() <= lines.size() &&
           std::equal(other.lines.begin(), other.lines.end(), lines.begin());
}

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
        list.push_back(jsonOf(line));
    Json json{{"trainyard_line", kVersion}, {"latest", latest}, {"lines", std::move(list)}};
    if (!hosts.empty())
        json["hosts"] = hosts;
    return writeFileAtomically(checkpoints / kName, json.dump(1) + "\n");
}

} // namespace trainyard
