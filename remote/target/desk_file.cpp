#include "remote/target/desk_file.h"

#include <nlohmann/json.hpp>

#include "engine/base/clock.h"
#include "engine/base/file.h"
#include "engine/spec/bounded_json.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

Error notReadable(const Error& why)
{
    return refused(why.message, "fix that; until then the file is left untouched");
}

Status checkVersion(const nlohmann::json& object, int newest)
{
    const auto version = object.find("version");
    if (version == object.end())
        return {};
    if (!version->is_number_integer() || *version < 1)
        return badInput("\"version\" must be a positive integer");
    if (*version > newest)
        return refused("it was written by a newer version of Trainyard",
                       "use that version, or move the file away to start over");
    return {};
}

} // namespace

Result<std::optional<std::string>> deskFileText(const fs::path& file)
{
    std::error_code problem;
    const fs::file_status status = fs::status(file, problem);
    if (status.type() == fs::file_type::not_found)
        return std::optional<std::string>();
    if (status.type() == fs::file_type::none)
        return notReadable(systemError(ErrorKind::Refused, "cannot open " + file.string(), problem.value()));
    if (status.type() != fs::file_type::regular)
        return refused(file.string() + (fs::is_directory(status) ? " is a folder" : " is not a file"),
                       "move it away: Trainyard needs that name for a file");
    auto text = readFile(file);
    if (!text.ok())
        return notReadable(text.error());
    return std::optional(std::move(text).value());
}

Result<nlohmann::json> parseDeskJson(std::string_view text, int newest)
{
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        return badInput("it is empty");
    TRAINYARD_TRY(nlohmann::json object, parseBoundedJson(text));
    if (!object.is_object())
        return badInput(std::string("it must hold a JSON object, not ") + object.type_name());
    TRAINYARD_TRY_STATUS(checkVersion(object, newest));
    return object;
}

Error inDeskFile(const Error& error, const fs::path& file)
{
    Error named = error.in(file.string());
    if (named.kind == ErrorKind::BadInput)
        named.hint = (named.hint.empty() ? "repair it" : named.hint) +
                     ", or move the file away to start over; it is set aside before a new one is written";
    return named;
}

Result<fs::path> setAside(const fs::path& file)
{
    const std::string name = file.string() + ".damaged-" + utcStamp(systemClock().now());
    std::error_code problem;
    fs::path aside = name;
    for (int next = 2; fs::exists(fs::symlink_status(aside, problem)); ++next)
        aside = name + '-' + std::to_string(next);
    fs::rename(file, aside, problem);
    if (problem)
        return systemError(ErrorKind::Refused,
                           "cannot set the damaged file " + file.string() + " aside as " + aside.string(),
                           problem.value());
    return aside;
}

Status replaceDeskFile(const fs::path& file, std::string_view content, const Status& present)
{
    if (!present.ok() && present.error().kind != ErrorKind::BadInput)
        return present.error().in("nothing was saved");
    if (!present.ok()) {
        TRAINYARD_TRY_STATUS(setAside(file));
    }
    TRAINYARD_TRY_STATUS(makeFolder(file.parent_path()));
    return writeFileAtomically(file, content);
}

} // namespace trainyard
