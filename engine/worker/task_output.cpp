#include "engine/worker/task_output.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/untrusted_text.h"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

/// {key: [[...], ...]} with what `toJson` makes of each item of each prompt.
template <typename Item, typename ToJson>
std::string listsDocument(const char* key, const std::vector<std::vector<Item>>& prompts, ToJson toJson)
{
    Json lists = Json::array();
    for (const std::vector<Item>& items : prompts) {
        Json list = Json::array();
        for (const Item& item : items)
            list.push_back(toJson(item));
        lists.push_back(std::move(list));
    }
    Json document = Json::object();
    document[key] = std::move(lists);
    return document.dump() + '\n';
}

Json answerJson(const AnswerPart& answer)
{
    Json json{{"text", answer.text}};
    if (answer.isAnswer) {
        json["begin"] = answer.begin;
        json["end"] = answer.end;
    }
    json["score"] = answer.score;
    json["probability"] = answer.probability;
    return json;
}

std::string promptHeading(std::size_t prompt, std::size_t prompts)
{
    return prompts > 1 ? fmt::format("prompt {}\n", prompt + 1) : std::string();
}

} // namespace

std::string TaskOutput::nameOf(std::size_t label) const
{
    return label < m_labels.size() ? sanitizeText(m_labels[label]) : fmt::format("LABEL_{}", label);
}

void TaskOutput::printLabels(const std::vector<std::vector<LabelProbability>>& prompts)
{
    if (m_json)
        return m_output.print(listsDocument("labels", prompts, [this](const LabelProbability& each) {
            return Json{
                {"label", nameOf(each.label)}, {"id", each.label}, {"probability", each.probability}};
        }));
    for (std::size_t prompt = 0; prompt < prompts.size(); ++prompt) {
        m_output.print(promptHeading(prompt, prompts.size()));
        for (const auto& [label, probability] : prompts[prompt])
            m_output.print(fmt::format("{:6.2f} %  {}\n", 100 * probability, nameOf(label)));
    }
}

void TaskOutput::printValues(const std::vector<double>& prompts)
{
    if (m_json)
        return m_output.print(Json{{"values", prompts}}.dump() + '\n');
    for (const double value : prompts)
        m_output.print(fmt::format("{:.6g}\n", value));
}

void TaskOutput::printWords(const std::vector<std::vector<TaggedPart>>& prompts)
{
    const auto toJson = [this](const TaggedPart& part) {
        Json json = part.token ? Json{{"token", *part.token}}
                               : Json{{"text", part.text}, {"begin", part.begin}, {"end", part.end}};
        json["labels"] = Json::array();
        for (const auto& [label, probability] : part.labels)
            json["labels"].push_back(
                Json{{"label", nameOf(label)}, {"id", label}, {"probability", probability}});
        return json;
    };
    if (m_json)
        return m_output.print(listsDocument("words", prompts, toJson));
    for (std::size_t prompt = 0; prompt < prompts.size(); ++prompt) {
        m_output.print(promptHeading(prompt, prompts.size()));
        for (const TaggedPart& part : prompts[prompt])
            m_output.print(fmt::format("{}\t{}\t{:.2f} %\n",
                                       part.token ? std::to_string(*part.token) : part.text,
                                       nameOf(part.labels.front().label),
                                       100 * part.labels.front().probability));
    }
}

void TaskOutput::printAnswers(const std::vector<std::vector<AnswerPart>>& prompts)
{
    if (m_json)
        return m_output.print(listsDocument("answers", prompts, answerJson));
    for (const std::vector<AnswerPart>& answers : prompts) {
        for (const AnswerPart& answer : answers)
            m_output.print(fmt::format("{:6.2f} %  {:8.3f}  {}\n", 100 * answer.probability, answer.score,
                                       answer.isAnswer ? sanitizeText(answer.text) : "(no answer)"));
    }
}

} // namespace trainyard
