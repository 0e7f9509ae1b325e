#include "datasets/shards/question_file.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/spec/bounded_json.h"

namespace trainyard {

namespace {

constexpr const char* kQuestionsHint = "prepare the data set again, or copy the file again";

Result<HeldOutQuestion> readQuestion(std::string_view line)
{
    TRAINYARD_TRY(const nlohmann::json json, parseBoundedJson(line));
    try {
        return HeldOutQuestion{json.at("context").get<std::string>(),
                               json.at("answers").get<std::vector<std::string>>()};
    } catch (const nlohmann::json::exception&) {
        return badInput("has no text context and list of texts answers", kQuestionsHint);
    }
}

} // namespace

Result<std::vector<HeldOutQuestion>> readQuestions(const std::filesystem::path& file)
{
    const auto text = readFile(file);
    if (!text.ok())
        return badInput(text.error().message, kQuestionsHint);
    std::vector<HeldOutQuestion> questions;
    std::string_view rest = *text;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        auto question = readQuestion(rest.substr(0, end));
        if (!question.ok())
            return question.error().in(fmt::format("{}: line {}", file.string(), questions.size() + 1));
        questions.push_back(std::move(*question));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return questions;
}

} // namespace trainyard
