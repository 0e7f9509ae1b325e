#include "app/hosts/model/host_store.h"

#include <nlohmann/json.hpp>

#include "engine/spec/field_reader.h"
#include "remote/target/desk_file.h"

namespace trainyard {

namespace {

constexpr int kVersion = 1;

Result<QStringList> parseHosts(std::string_view text)
{
    TRAINYARD_TRY(const nlohmann::json json, parseDeskJson(text, kVersion));
    Diagnostics problems;
    FieldReader reader(json, "", problems);
    std::vector<std::string> names;
    reader.read("hosts", names);
    if (!reader.has("hosts"))
        reader.complain("hosts", "is missing", "write it as [\"gpu-01\", \"gpu-02\"]");
    if (!problems.empty())
        return toError(problems);
    QStringList hosts;
    for (const std::string& name : names)
        hosts << QString::fromStdString(name);
    return hosts;
}

} // namespace

Result<QStringList> loadHosts(const std::filesystem::path& file)
{
    return readDeskFile(file, parseHosts);
}

Status saveHosts(const std::filesystem::path& file, const QStringList& names)
{
    nlohmann::ordered_json json{{"version", kVersion}, {"hosts", nlohmann::json::array()}};
    for (const QString& name : names)
        json["hosts"].push_back(name.toStdString());
    return writeDeskFile(file, json.dump(2) + "\n", parseHosts);
}

} // namespace trainyard
