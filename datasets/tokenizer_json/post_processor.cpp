#include "datasets/tokenizer_json/post_processor.h"

#include <string>

#include <nlohmann/json.hpp>

namespace trainyard {

namespace {

/// The value of a key; null without one.
nlohmann::json valueAt(const nlohmann::json& object, const char* key)
{
    return object.is_object() ? object.value(key, nlohmann::json()) : nlohmann::json();
}

/// A template: texts, the special tokens before each and behind the last one, and the segments of all.
struct Template {
    std::vector<std::string> texts{};
    std::vector<std::vector<std::int32_t>> gaps{{}}; ///< one more than texts
    std::vector<int> segments{};
    std::vector<bool> areTexts{}; ///< of what segments are
};

/// {"SpecialToken": {"id": "[CLS]", "type_id": 0}} or {"Sequence": {"id": "A", "type_id": 0}}.
bool addPart(const nlohmann::json& part, const TokenIds& tokens, Template& read)
{
    const bool isText = part.is_object() && part.contains("Sequence");
    const nlohmann::json content = valueAt(part, isText ? "Sequence" : "SpecialToken");
    const nlohmann::json name = valueAt(content, "id"), segment = valueAt(content, "type_id");
    if (!name.is_string() || !segment.is_number_integer())
        return false;
    if (isText) {
        read.texts.push_back(name.get<std::string>());
        read.gaps.emplace_back();
    } else {
        const auto found = tokens.find(name.get<std::string>());
        if (found == tokens.end())
            return false;
        read.gaps.back().push_back(found->second);
    }
    read.segments.push_back(segment.get<int>());
    read.areTexts.push_back(isText);
    return true;
}

std::optional<Template> readTemplate(const nlohmann::json& parts, const TokenIds& tokens,
                                     const std::vector<std::string>& texts)
{
    Template read;
    for (const nlohmann::json& part : parts) {
        if (!addPart(part, tokens, read))
            return std::nullopt;
    }
    return read.texts == texts ? std::optional(std::move(read)) : std::nullopt;
}

/// Segment 0, then 1 from somewhere between the texts or from B on; or 0 alone. False for any other order.
bool findSegments(const Template& pair, RowFrame& frame)
{
    std::size_t texts = 0, ofBetween = 0, ones = 0;
    for (std::size_t i = 0; i < pair.segments.size(); ++i) {
        const bool isFirstOfTwo = pair.segments[i] == 0;
        if ((isFirstOfTwo && ones > 0) || (!isFirstOfTwo && pair.segments[i] != 1) ||
            (!isFirstOfTwo && texts == 0))
            return false;
        ones += !isFirstOfTwo;
        ofBetween += isFirstOfTwo && texts == 1 && !pair.areTexts[i];
        texts += pair.areTexts[i];
        if (texts == 2 && pair.areTexts[i] && !isFirstOfTwo)
            frame.betweenOfFirst = ofBetween;
    }
    return ones == 0 || frame.betweenOfFirst.has_value();
}

std::optional<RowFrame> frameOfTemplates(const nlohmann::json& processor, const TokenIds& tokens)
{
    const auto usualPair = nlohmann::json::parse(
        R"([{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}])");
    const nlohmann::json pairParts = valueAt(processor, "pair");
    const auto single = readTemplate(valueAt(processor, "single"), tokens, {"A"});
    const auto pair = readTemplate(pairParts.is_null() ? usualPair : pairParts, tokens, {"A", "B"});
    if (!single || !pair)
        return std::nullopt;
    RowFrame frame{single->gaps[0], single->gaps[1], pair->gaps[0], pair->gaps[1], pair->gaps[2], {}};
    return findSegments(*pair, frame) ? std::optional(std::move(frame)) : std::nullopt;
}

/// ["</s>", 2]
std::optional<std::int32_t> namedIn(const nlohmann::json& pair, const TokenIds& tokens)
{
    if (!pair.is_array() || pair.empty() || !pair[0].is_string())
        return std::nullopt;
    const auto found = tokens.find(pair[0].get<std::string>());
    return found == tokens.end() ? std::nullopt : std::optional(found->second);
}

std::optional<RowFrame> frameOfNames(const nlohmann::json& processor, const TokenIds& tokens, bool isRoberta)
{
    const auto first = namedIn(valueAt(processor, "cls"), tokens);
    const auto last = namedIn(valueAt(processor, "sep"), tokens);
    if (!first || !last)
        return std::nullopt;
    if (isRoberta)
        return RowFrame{{*first}, {*last}, {*first}, {*last, *last}, {*last}, {}};
    return RowFrame{{*first}, {*last}, {*first}, {*last}, {*last}, 1};
}

} // namespace

std::optional<RowFrame> frameOf(const nlohmann::json& processor, const TokenIds& tokens)
{
    const nlohmann::json type = valueAt(processor, "type");
    if (type == "TemplateProcessing")
        return frameOfTemplates(processor, tokens);
    if (type == "RobertaProcessing" || type == "BertProcessing")
        return frameOfNames(processor, tokens, type == "RobertaProcessing");
    if (type == "Sequence") {
        for (const nlohmann::json& part : valueAt(processor, "processors")) {
            if (auto frame = frameOf(part, tokens))
                return frame;
        }
    }
    return std::nullopt;
}

} // namespace trainyard
