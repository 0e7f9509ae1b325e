#include "tests/faults/soak/checkpoint_check.h"

#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/base/hash.h"

namespace trainyard::soak {

namespace {

using nlohmann::json;

/// Throws when it cannot be read.
std::string contentOf(const std::filesystem::path& file)
{
    auto content = readFile(file);
    if (!content.ok())
        throw std::runtime_error(content.error().text());
    return *std::move(content);
}

/// Empty while there is none.
std::string nameOfLatest(const std::filesystem::path& checkpoints)
{
    const auto content = readFile(checkpoints / "latest");
    std::string name = content.ok() ? *content : std::string();
    while (name.ends_with('\n'))
        name.pop_back();
    return name;
}

/// Throws what is wrong.
void checkSlices(const std::filesystem::path& folder, const json& manifest)
{
    std::map<std::string, std::string> files;
    for (const json& tensor : manifest.at("tensors")) {
        for (const json& slice : tensor.at("slices")) {
            const std::string name = slice.at("file");
            if (!files.contains(name))
                files[name] = contentOf(folder / name);
            const auto offset = slice.at("offset").get<std::size_t>();
            const auto bytes = slice.at("bytes").get<std::size_t>();
            if (offset + bytes > files[name].size())
                throw std::runtime_error(name + " is too short");
            if (xxh3Hex(std::string_view(files[name]).substr(offset, bytes)) != slice.at("xxh3"))
                throw std::runtime_error(fmt::format("{} has other bytes at {}", name, offset));
        }
    }
}

std::string damageOf(const std::filesystem::path& folder)
{
    try {
        const json manifest = json::parse(contentOf(folder / "manifest.json"));
        checkSlices(folder, manifest);
        return {};
    } catch (const std::exception& error) {
        return error.what();
    }
}

} // namespace

std::optional<CheckpointSeen> seeLatestCheckpoint(const std::filesystem::path& checkpoints)
{
    constexpr std::string_view kPrefix = "step-";
    for (;;) {
        const std::string name = nameOfLatest(checkpoints);
        if (name.empty())
            return std::nullopt;
        if (!name.starts_with(kPrefix))
            return CheckpointSeen{0, "latest names \"" + name + '"'};
        const std::string damage = damageOf(checkpoints / name);
        if (damage.empty() || nameOfLatest(checkpoints) == name)
            return CheckpointSeen{std::stoll(name.substr(kPrefix.size())), damage};
    }
}

} // namespace trainyard::soak
