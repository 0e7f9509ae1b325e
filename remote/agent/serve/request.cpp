#include "remote/agent/serve/request.h"

#include <fmt/format.h>

#include "engine/base/json_limits.h"
#include "remote/agent/host/ssh_command.h"
#include "remote/wire/bundle_manifest.h"
#include "remote/wire/error_kind.h"
#include "remote/wire/protocol.h"

namespace trainyard::agent {

namespace {

using nlohmann::json;

std::string toText(const json& message)
{
    return message.dump(-1, ' ', false, json::error_handler_t::replace);
}

Error wrongType(const char* name, const char* expected)
{
    return badInput(fmt::format("the field \"{}\" is missing or not {}", name, expected));
}

} // namespace

Result<Request> parseRequest(std::string_view payload, std::uint32_t& id)
{
    TRAINYARD_TRY_STATUS(checkJsonLimits(payload));
    json body = json::parse(payload, nullptr, false);
    if (!body.is_object())
        return badInput("the message is not a JSON object");
    const auto given = body.find("id");
    if (given == body.end() || !given->is_number_integer() || *given < 1 || *given > UINT32_MAX)
        return wrongType("id", "a number from 1 to 4294967295");
    id = given->get<std::uint32_t>();
    const auto op = body.find("op");
    if (op == body.end() || !op->is_string())
        return wrongType("op", "a text");
    std::string name = op->get<std::string>();
    return Request{id, std::move(name), std::move(body)};
}

Result<std::string> Fields::text(const char* name) const
{
    const auto found = m_object.find(name);
    if (found == m_object.end() || !found->is_string())
        return wrongType(name, "a text");
    return found->get<std::string>();
}

Result<std::string> Fields::textOr(const char* name, const std::string& otherwise) const
{
    return m_object.contains(name) ? text(name) : Result<std::string>(otherwise);
}

Result<std::int64_t> Fields::number(const char* name, std::int64_t least, std::int64_t most) const
{
    const auto found = m_object.find(name);
    if (found == m_object.end() || !found->is_number_integer())
        return wrongType(name, "a whole number");
    const bool tooLarge =
        found->is_number_unsigned() && found->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX);
    if (tooLarge || found->get<std::int64_t>() < least || found->get<std::int64_t>() > most)
        return badInput(fmt::format("the field \"{}\" is {}; it must be between {} and {}", name,
                                    toText(*found), least, most));
    return found->get<std::int64_t>();
}

Result<std::int64_t> Fields::numberOr(const char* name, std::int64_t otherwise, std::int64_t least,
                                      std::int64_t most) const
{
    return m_object.contains(name) ? number(name, least, most) : Result<std::int64_t>(otherwise);
}

Result<bool> Fields::flagOr(const char* name, bool otherwise) const
{
    const auto found = m_object.find(name);
    if (found == m_object.end())
        return otherwise;
    if (!found->is_boolean())
        return wrongType(name, "true or false");
    return found->get<bool>();
}

Result<json> Fields::list(const char* name, std::size_t most) const
{
    const auto found = m_object.find(name);
    if (found == m_object.end() || !found->is_array())
        return wrongType(name, "a list");
    if (found->size() > most)
        return badInput(
            fmt::format("the list \"{}\" has {} entries; at most {} are allowed", name, found->size(), most));
    return *found;
}

Result<std::string> Fields::document(const char* name) const
{
    const auto found = m_object.find(name);
    if (found == m_object.end() || (!found->is_string() && !found->is_structured()))
        return wrongType(name, "JSON");
    if (found->is_string()) {
        std::string text = found->get<std::string>();
        TRAINYARD_TRY_STATUS(checkJsonLimits(text));
        return text;
    }
    return found->dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<std::string> sha256Field(const json& object, const char* name)
{
    TRAINYARD_TRY(std::string value, Fields(object).text(name));
    if (!isSha256(value))
        return wrongType(name, "64 lower-case hex digits");
    return value;
}

Result<std::vector<std::string>> knownHostsIn(const json& request)
{
    std::vector<std::string> lines;
    for (const json& line : request.value("known_hosts", json::array()))
        lines.push_back(line.is_string() ? line.get<std::string>() : std::string());
    TRAINYARD_TRY_STATUS(checkKnownHosts(lines));
    return lines;
}

std::string replyText(std::uint32_t id, const json& fields)
{
    json message = fields;
    message["id"] = id;
    message["ok"] = true;
    std::string text = toText(message);
    if (text.size() > kMaxPayload)
        return errorText(
            id, failed(fmt::format("the reply has {} bytes, more than a message can hold", text.size())));
    return text;
}

std::string errorText(std::uint32_t id, const Error& error)
{
    return toText({{"id", id},
                   {"ok", false},
                   {"error",
                    {{"kind", nameOf(error.kind)},
                     {"message", error.message.substr(0, 64 * kKiB)},
                     {"hint", error.hint.substr(0, 64 * kKiB)}}}});
}

} // namespace trainyard::agent
