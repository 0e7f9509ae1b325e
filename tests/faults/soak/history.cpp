#include "tests/faults/soak/history.h"

#include <array>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trainyard::soak {

using nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Began, seed, hosts, keepLast)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Injected, fault, host, lastsMs, how)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Healed, fault, host)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Resumed, attempt, trouble)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Looked, epoch, attempt, state, ranks)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CheckpointFound, name, state, reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FolderSeen, byNemesis, trouble, latest, recorded, checkpoints, leftovers)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RecordKept, stream, attempt, sequence, step, loss, text)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ReferenceStep, step, loss)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StreamCompared, stream, head, desk)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HostAtEnd, host, processes, files)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Ended, state)

namespace {

constexpr std::size_t kLineLength = 200; ///< of an answer that the journal repeats

/// In the order of Happening's alternatives.
constexpr std::array<const char*, std::variant_size_v<Happening>> kEntryNames{
    "began",  "injected",  "healed",   "resumed", "looked", "folder",
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

/// For the journal of faults; empty for what is none of it.
std::string sentenceOf(const Happening& what)
{
    if (const auto* fault = std::get_if<Injected>(&what))
        return fmt::format("host {}: {}{}: {}", fault->host, fault->fault,
                           fault->lastsMs > 0 ? fmt::format(" for {:.1f} s", double(fault->lastsMs) / 1000)
                                              : std::string(),
                           fault->how.empty() ? "there was nothing to do it to" : fault->how);
    if (const auto* healed = std::get_if<Healed>(&what))
        return fmt::format("host {}: {} no more", healed->host, healed->fault);
    if (const auto* resumed = std::get_if<Resumed>(&what))
        return fmt::format("attempt {} {}", resumed->attempt,
                           resumed->trouble.empty()
                               ? std::string("was asked for")
                               : "did not start: " + resumed->trouble.substr(0, kLineLength));
    return {};
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

std::vector<std::string> journalOf(const History& history)
{
    std::vector<std::string> lines;
    for (const Entry& entry : history) {
        if (const std::string sentence = sentenceOf(entry.what); !sentence.empty())
            lines.push_back(fmt::format("{:7.1f} s  {}", double(entry.atMs) / 1000, sentence));
    }
    return lines;
}

std::string countsOf(const History& history)
{
    std::map<std::string, int> counts;
    for (const Entry& entry : history) {
        if (const auto* fault = std::get_if<Injected>(&entry.what); fault && !fault->how.empty())
            ++counts[fault->fault];
    }
    std::string text;
    for (const auto& [fault, count] : counts)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", fault, count);
    return text;
}

} // namespace trainyard::soak
