#include "datasets/tokenizer_json/special_roles.h"

#include <initializer_list>
#include <string>

#include "datasets/tokenizer_json/post_processor.h"

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

std::int32_t outermost(const std::vector<std::int32_t>& tokens)
{
    return tokens.empty() ? kNoToken : tokens.front();
}

} // namespace

SpecialTokens findSpecialTokens(const SpecialSources& sources)
{
    const RowFrame frame = frameOf(sources.postProcessor, sources.tokens).value_or(RowFrame());
    SpecialTokens special;
    special.unknown = kNoToken;
    special.classify = firstOf(
        {configured(sources, "cls_token"), outermost(frame.before), firstNamed(sources, {"[CLS]", "<s>"})});
    special.separator = firstOf(
        {configured(sources, "sep_token"), outermost(frame.behind), firstNamed(sources, {"[SEP]", "</s>"})});
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
