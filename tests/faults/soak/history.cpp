#include "tests/faults/soak/history.h"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trainyard::soak {

using nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Began, seed, hosts)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Injected, fault, host, lastsMs, how)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Healed, fault, host)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Resumed, attempt, trouble)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Looked, epoch, attempt, state, ranks)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CheckpointSeen, step, damage)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RecordKept, stream, attempt, sequence, step, loss, text)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ReferenceStep, step, loss)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StreamCompared, stream, head, desk)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HostAtEnd, host, processes, files)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Ended, state)

namespace {

/// In the order of Happening's alternatives.
constexpr std::array<const char*, std::variant_size_v<Happening>> kEntryNames{
    "began",  "injected",  "healed",   "resumed", "looked", "checkpoint",
    "record", "reference", "compared", "left",    "ended"};

template <std::size_t Index = 0>
Happening parse(const json& line)
{
    if constexpr (Index < kEntryNames.size()) {
        if (line.contains(kEntryNames[Index]))
            return line.at(kEntryNames[Index]).get<std::variant_alternative_t<Index, Happening>>();
        return parse<Index + 1>(line);
    } else {
        throw std::invalid_argument("nothing that is known happened");
    }
}

} // namespace

void HistoryFile::add(Moment atMs, const Happening& what)
{
    json line{{"at_ms", atMs}};
    line[kEntryNames[what.index()]] = std::visit([](const auto& one) { return json(one); }, what);
    m_out << line.dump(-1, ' ', false, json::error_handler_t::replace) << std::endl;
}

Result<History> readHistory(const std::filesystem::path& file)
{
    std::ifstream in(file);
    History history;
    std::string text;
    while (std::getline(in, text)) {
        try {
            const json line = json::parse(text);
            history.push_back({line.at("at_ms").get<Moment>(), parse(line)});
        } catch (const std::exception& error) {
            return badInput(fmt::format("{} line {}: {}", file.string(), history.size() + 1, error.what()));
        }
    }
    return history;
}

} // namespace trainyard::soak
