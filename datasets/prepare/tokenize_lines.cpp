#include "datasets/prepare/tokenize_lines.h"

#include <istream>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "datasets/tokenizer/wordpiece_encoder.h"

namespace trainyard {

Status tokenizeLines(const WordPiece& tokenizer, std::istream& in, std::ostream& out)
{
    std::string line;
    std::vector<std::int32_t> ids;
    WordPieceEncoder encoder(tokenizer);
    for (std::size_t number = 1; std::getline(in, line); ++number) {
        const auto item = nlohmann::json::parse(line, nullptr, false);
        const bool fine = item.is_object() && item.contains("text") && item["text"].is_string();
        if (!fine)
            return badInput(fmt::format("line {} is not {{\"text\": \"...\"}}", number),
                            "give one JSON object per line, in UTF-8");
        ids.clear();
        encoder.encode(item["text"].get_ref<const std::string&>(), ids);
        out << "{\"ids\":" << nlohmann::json(ids).dump() << "}\n";
    }
    if (!out.flush())
        return failed("cannot write the ids to standard output");
    return {};
}

} // namespace trainyard
