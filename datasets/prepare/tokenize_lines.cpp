#include "datasets/prepare/tokenize_lines.h"

#include <istream>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "datasets/tokenizer/wordpiece_encoder.h"

namespace trainyard {

namespace {

constexpr std::size_t kPieceBytes = 64 * 1024;

std::optional<std::string> textIn(const std::string& line)
{
    auto item = nlohmann::json::parse(line, nullptr, false);
    const bool fine = item.is_object() && item.contains("text") && item["text"].is_string();
    return fine ? std::optional(std::move(item["text"].get_ref<std::string&>())) : std::nullopt;
}

} // namespace

Status tokenizeLines(const WordPiece& tokenizer, std::istream& in,
                     const std::function<bool(std::string_view)>& put)
{
    std::string line, waiting;
    std::vector<std::int32_t> ids;
    WordPieceEncoder encoder(tokenizer);
    std::size_t number = 0;
    bool wanted = true;
    while (wanted && std::getline(in, line)) {
        ++number;
        const auto text = textIn(line);
        if (!text) {
            put(waiting);
            return badInput(fmt::format("line {} is not {{\"text\": \"...\"}}", number),
                            "use one JSON object per line, in UTF-8");
        }
        ids.clear();
        encoder.encode(*text, ids);
        waiting += fmt::format("{{\"ids\":{}}}\n", nlohmann::json(ids).dump());
        if (waiting.size() >= kPieceBytes)
            wanted = put(std::exchange(waiting, {}));
    }
    put(waiting);
    return {};
}

} // namespace trainyard
