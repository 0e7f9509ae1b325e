#include "datasets/tokenizer_json/special_roles.h"

#include <initializer_list>
#include <optional>
#include <string>

namespace trainyard {

namespace {

constexpr std::int32_t kNoToken = SpecialTokens::kNone;

std::int32_t idOf(const SpecialSources& sources, const std::string& name)
{
    const auto found = sources.tokens.find(name);
    return found == sources.tokens.end() ? kNoToken : found->second;
}

std::int32_t firstOf(std::initializer_list<std::int32_t> ids)
{
    for (const std::int32_t id : ids) {
        if (id != kNoToken)
            return id;
    }
    return kNoToken;
}

std::int32_t firstNamed(const SpecialSources& sources, std::initializer_list<const char*> names)
{
    for (const char* const name : names) {
        if (const std::int32_t id = idOf(sources, name); id != kNoToken)
            return id;
    }
    return kNoToken;
}

/// A name, or an added token with its settings.
std::int32_t configured(const SpecialSources& sources, const char* role)
{
    for (const nlohmann::json* const configuration : sources.configurations) {
        const nlohmann::json given = configuration->value(role, nlohmann::json());
        const nlohmann::json name = given.is_object() ? given.value("content", nlohmann::json()) : given;
        if (!name.is_string())
            continue;
        if (const std::int32_t id = idOf(sources, name.get<std::string>()); id != kNoToken)
            return id;
    }
    return kNoToken;
}

/// What a post_processor puts before and behind a text.
struct Frame {
    std::int32_t before = kNoToken;
    std::int32_t behind = kNoToken;
};

/// {"single": [{"SpecialToken": {"id": "[CLS]"}}, {"Sequence": ...}, {"SpecialToken": {"id": "[SEP]"}}]}
Frame frameOfTemplate(const SpecialSources& sources, const nlohmann::json& single)
{
    Frame frame;
    bool isBehind = false;
    if (!single.is_array())
        return frame;
    for (const nlohmann::json& part : single) {
        const nlohmann::json token =
            part.is_object() ? part.value("SpecialToken", nlohmann::json()) : nlohmann::json();
        if (!token.is_object() || !token.value("id", nlohmann::json()).is_string()) {
            isBehind = true;
            continue;
        }
        std::int32_t& place = isBehind ? frame.behind : frame.before;
        if (place == kNoToken)
            place = idOf(sources, token["id"].get<std::string>());
    }
    return frame;
}

/// ["</s>", 2]
std::int32_t namedInPair(const SpecialSources& sources, const nlohmann::json& pair)
{
    return pair.is_array() && !pair.empty() && pair[0].is_string() ? idOf(sources, pair[0].get<std::string>())
                                                                   : kNoToken;
}

Frame frameOf(const SpecialSources& sources, const nlohmann::json& processor)
{
    if (!processor.is_object())
        return {};
    const nlohmann::json type = processor.value("type", nlohmann::json());
    if (type == "TemplateProcessing")
        return frameOfTemplate(sources, processor.value("single", nlohmann::json()));
    if (type == "RobertaProcessing" || type == "BertProcessing")
        return {namedInPair(sources, processor.value("cls", nlohmann::json())),
                namedInPair(sources, processor.value("sep", nlohmann::json()))};
    Frame frame;
    if (const nlohmann::json parts = processor.value("processors", nlohmann::json());
        type == "Sequence" && parts.is_array()) {
        for (const nlohmann::json& part : parts) {
            const Frame more = frameOf(sources, part);
            frame = {firstOf({frame.before, more.before}), firstOf({frame.behind, more.behind})};
        }
    }
    return frame;
}

} // namespace

SpecialTokens findSpecialTokens(const SpecialSources& sources)
{
    const Frame frame = frameOf(sources, sources.postProcessor);
    SpecialTokens special;
    special.unknown = kNoToken;
    special.classify =
        firstOf({configured(sources, "cls_token"), frame.before, firstNamed(sources, {"[CLS]", "<s>"})});
    special.separator =
        firstOf({configured(sources, "sep_token"), frame.behind, firstNamed(sources, {"[SEP]", "</s>"})});
    special.mask =
        firstOf({configured(sources, "mask_token"), firstNamed(sources, {"[MASK]", "<mask>", "<|mask|>"})});
    special.documentEnd = firstOf({firstNamed(sources, {"<|endoftext|>", "<|end_of_text|>", "</s>", "<eos>"}),
                                   configured(sources, "eos_token"), special.separator});
    special.pad = firstOf({configured(sources, "pad_token"), firstNamed(sources, {"[PAD]", "<pad>"})});
    // Decoders are often given the end of a document for their padding.
    for (const std::int32_t other :
         {special.classify, special.separator, special.mask, special.documentEnd}) {
        if (special.pad == other)
            special.pad = kNoToken;
    }
    return special;
}

} // namespace trainyard
