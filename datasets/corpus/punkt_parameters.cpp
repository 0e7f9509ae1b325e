#include "datasets/corpus/punkt_parameters.h"

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/base/parsed_number.h"
#include "engine/base/utf8.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

using std::string_view;

constexpr const char* kAbbreviations = "abbrev_types.txt";
constexpr const char* kCollocations = "collocations.tab";
constexpr const char* kContexts = "ortho_context.tab";
constexpr const char* kStarters = "sent_starters.txt";
constexpr const char* kHint = "use a folder with the four files of nltk's punkt_tab, such as "
                              "nltk_data/tokenizers/punkt_tab/english";
constexpr unsigned kAllContexts = 2 | 4 | 8 | 16 | 32 | 64;

/// Calls visit(line, number) for each line; "\r\n" ends one too. Stops at the first error.
template <typename Visit>
Status forEachLine(string_view text, Visit visit)
{
    for (std::size_t number = 1; !text.empty(); ++number) {
        const auto end = std::min(text.find('\n'), text.size());
        string_view line = text.substr(0, end);
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        TRAINYARD_TRY_STATUS(visit(line, number));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return {};
}

Error damaged(const std::string& file, std::size_t line, string_view what)
{
    return badInput(fmt::format("{}, line {}: {}", file, line, what),
                    "the Punkt parameters are damaged; fetch or train them again");
}

Result<std::string> readParameterFile(const fs::path& file)
{
    auto text = readFile(file);
    if (!text.ok())
        return badInput(text.error().message, kHint);
    if (!isUtf8(*text))
        return badInput(fmt::format("{} is not UTF-8", file.string()), kHint);
    return text;
}

} // namespace

bool PunktParameters::areCollocation(string_view first, string_view second) const
{
    if (m_collocations.empty())
        return false;
    std::string both(first);
    both += '\t';
    return m_collocations.contains(both.append(second));
}

std::uint8_t PunktParameters::orthoContext(string_view type) const
{
    const auto found = m_contexts.find(type);
    return found == m_contexts.end() ? 0 : found->second;
}

Status PunktParameters::parseContexts(string_view text, const std::string& file)
{
    return forEachLine(text, [&](string_view line, std::size_t number) -> Status {
        const auto tab = line.find('\t');
        if (tab == string_view::npos)
            return damaged(file, number, "there is no tab between word and context");
        const string_view digits = line.substr(tab + 1);
        const auto context = parsedNumber<unsigned>(digits);
        if (!context || (*context & ~kAllContexts) != 0)
            return damaged(file, number, fmt::format("\"{}\" is not an orthographic context", digits));
        m_contexts.insert_or_assign(std::string(line.substr(0, tab)), static_cast<std::uint8_t>(*context));
        return {};
    });
}

Status PunktParameters::parseCollocations(string_view text, const std::string& file)
{
    return forEachLine(text, [&](string_view line, std::size_t number) -> Status {
        const auto tab = line.find('\t');
        if (tab == string_view::npos || line.find('\t', tab + 1) != string_view::npos)
            return damaged(file, number, "expected two words separated by a tab");
        m_collocations.emplace(line);
        return {};
    });
}

Result<PunktParameters> PunktParameters::load(const fs::path& folder)
{
    std::error_code error;
    if (!fs::is_directory(folder, error))
        return badInput(fmt::format("{} is not a folder", folder.string()), kHint);
    PunktParameters parameters;
    const auto addTo = [](Words& words) {
        return [&words](string_view line, std::size_t) -> Status {
            words.emplace(line);
            return {};
        };
    };
    TRAINYARD_TRY(const std::string abbreviations, readParameterFile(folder / kAbbreviations));
    TRAINYARD_TRY(const std::string collocations, readParameterFile(folder / kCollocations));
    TRAINYARD_TRY(const std::string contexts, readParameterFile(folder / kContexts));
    TRAINYARD_TRY(const std::string starters, readParameterFile(folder / kStarters));
    TRAINYARD_TRY_STATUS(forEachLine(abbreviations, addTo(parameters.m_abbreviations)));
    TRAINYARD_TRY_STATUS(forEachLine(starters, addTo(parameters.m_starters)));
    TRAINYARD_TRY_STATUS(parameters.parseCollocations(collocations, (folder / kCollocations).string()));
    TRAINYARD_TRY_STATUS(parameters.parseContexts(contexts, (folder / kContexts).string()));
    if (parameters.m_contexts.empty())
        return badInput(fmt::format("{} is empty", (folder / kContexts).string()), kHint);
    parameters.m_sha256 = sha256Hex(abbreviations + collocations + contexts + starters);
    return parameters;
}

} // namespace trainyard
