#include "app/models/host_store.h"

#include <nlohmann/json.hpp>

#include "engine/base/file.h"

namespace trainyard {

namespace {
constexpr int kVersion = 1;
}

Result<QStringList> loadHosts(const std::filesystem::path& file)
{
    if (!std::filesystem::exists(file))
        return QStringList();
    TRAINYARD_TRY(const std::string text, readFile(file));
    const auto json = nlohmann::json::parse(text, nullptr, false);
    const char* hint = "move the file away and add the hosts again";
    if (!json.is_object() || json.value("version", 0) != kVersion || !json.contains("hosts") ||
        !json["hosts"].is_array())
        return badInput(file.string() + ": is not a list of hosts of this version", hint);
    QStringList names;
    for (const auto& name : json["hosts"]) {
        if (!name.is_string())
            return badInput(file.string() + ": hosts: every entry must be a name", hint);
        names << QString::fromStdString(name.get<std::string>());
    }
    return names;
}

Status saveHosts(const std::filesystem::path& file, const QStringList& names)
{
    nlohmann::ordered_json json{{"version", kVersion}, {"hosts", nlohmann::json::array()}};
    for (const QString& name : names)
        json["hosts"].push_back(name.toStdString());
    TRAINYARD_TRY_STATUS(makeFolder(file.parent_path()));
    return writeFileAtomically(file, json.dump(2) + "\n");
}

} // namespace trainyard
