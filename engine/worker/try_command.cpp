#include "engine/worker/try_command.h"

#include <memory>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "engine/base/untrusted_text.h"
#include "engine/generation/generator.h"
#include "engine/generation/mask_filling.h"
#include "engine/generation/options/try_uses.h"
#include "engine/nn/language_model.h"
#include "engine/spec/names.h"
#include "engine/worker/answer_output.h"
#include "engine/worker/missing_shards.h"
#include "engine/worker/task_trial.h"
#include "engine/worker/try_inputs.h"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

/// The model, the prompts, and how to turn tokens into text where that is known.
class Trial {
public:
    Trial(const TryOptions& options, StoredModel model, AnswerOutput& output)
        : m_options(options), m_stored(std::move(model)), m_output(output)
    {
    }

    Status run()
    {
        TRAINYARD_TRY_STATUS(readPrompts());
        return isDecoder() ? continueText() : fillIn();
    }

private:
    bool isDecoder() const { return m_stored.spec().isDecoder(); }
    bool hasText() const { return m_options.tokenIds.empty(); }

    /// Numbers alone need no vocabulary, unless one of its special tokens is asked for.
    bool needsVocabulary() const
    {
        const bool needsEnd = m_options.stop && m_stored.endTokens().empty();
        return hasText() || (isDecoder() ? needsEnd : !m_options.maskToken);
    }

    Status readVocabulary()
    {
        TRAINYARD_TRY(TextCodec codec, codecOf(m_options, m_stored));
        m_codec = std::make_unique<const TextCodec>(std::move(codec));
        return {};
    }

    Status readPrompts()
    {
        if (needsVocabulary() || !m_options.vocabulary.empty())
            TRAINYARD_TRY_STATUS(readVocabulary());
        TRAINYARD_TRY_STATUS(hasText() ? readText() : readTokens());
        return checkPrompts(m_stored.spec(), m_prompts, isDecoder() ? m_options.newTokens : std::nullopt);
    }

    Status readText()
    {
        TRAINYARD_TRY(m_text, triedText(m_options));
        const bool completes = m_stored.spec().task.kind == TaskKind::Complete;
        m_prompts = {!isDecoder() ? m_codec->encodeWithMasks(m_text)
                     : completes  ? m_codec->encodePrompt(m_text)
                                  : m_codec->encode(m_text)};
        return {};
    }

    Status readTokens()
    {
        TRAINYARD_TRY(m_prompts, triedTokens(m_options));
        return {};
    }

    TokenIds endTokens() const
    {
        if (!m_options.stop)
            return {};
        const TokenIds own = m_stored.endTokens();
        if (!own.empty())
            return own;
        const std::optional<TokenId> end = m_codec->documentEnd();
        return end ? TokenIds{*end} : TokenIds{};
    }

    /// Behind the text as it was typed.
    Status continueText()
    {
        TRAINYARD_TRY(const auto model, m_stored.load(*enumFromName<ComputeType>(m_options.precision)));
        GenerationOptions generation{m_options.sampling, m_options.newTokens, endTokens()};
        if (m_options.greedy)
            generation.sampling.temperature = 0;
        m_grown = m_prompts;
        if (streamsText())
            m_output.print(sanitizeText(m_text, Lines::Many));
        const auto onToken = [this](std::size_t prompt, TokenId token) {
            m_grown[prompt].push_back(token);
            showToken(prompt, token);
            return m_output.isWanted();
        };
        TRAINYARD_TRY(const auto tokens, continuePrompts(*model, m_prompts, generation, onToken));
        showAll(tokens);
        return {};
    }

    bool streamsText() const { return hasText() && !m_options.json; }

    void showToken(std::size_t prompt, TokenId token)
    {
        const TokenIds& all = m_grown[prompt];
        if (streamsText())
            m_output.print(m_codec->textFrom(all, all.size() - 1));
        if (!m_options.stream)
            return;
        Json line{{"prompt", prompt}, {"token", token}};
        if (m_codec)
            line["text"] = m_codec->textFrom(all, all.size() - 1);
        m_output.print(line.dump() + '\n');
    }

    void showAll(const std::vector<TokenIds>& tokens)
    {
        if (m_options.json) {
            Json json = Json::object();
            json["tokens"] = tokens;
            if (hasText())
                json["text"].push_back(sanitizeText(m_text, Lines::Many) +
                                       m_codec->textFrom(tokens.front(), m_prompts.front().size()));
            m_output.print(json.dump() + '\n');
        } else if (hasText()) {
            m_output.print("\n");
        } else {
            for (const TokenIds& each : tokens)
                m_output.print(fmt::format("{}\n", fmt::join(each, " ")));
        }
    }

    Status fillIn()
    {
        TRAINYARD_TRY(const auto model, m_stored.load(*enumFromName<ComputeType>(m_options.precision)));
        const TokenId mask = m_options.maskToken ? *m_options.maskToken : m_codec->mask();
        if (mask == SpecialTokens::kNone)
            return badInput("the model's tokenizer has no mask token",
                            "give the prompt as --token-ids, and the token of the mask with --mask-token");
        TRAINYARD_TRY(const auto masks, fillMasks(*model, m_prompts, mask, std::size_t(m_options.answers)));
        if (m_options.json)
            m_output.print(toJson(masks).dump() + '\n');
        else
            printMasks(masks);
        return {};
    }

    std::string nameOfToken(TokenId token) const
    {
        return m_codec ? m_codec->piece(token) : std::to_string(token);
    }

    Json toJson(const std::vector<std::vector<MaskAnswers>>& masks) const
    {
        Json prompts = Json::array();
        for (const auto& ofPrompt : masks) {
            Json list = Json::array();
            for (const MaskAnswers& each : ofPrompt)
                list.push_back(Json{{"position", each.position}, {"answers", toJson(each.best)}});
            prompts.push_back(std::move(list));
        }
        Json json = Json::object();
        json["masks"] = std::move(prompts);
        return json;
    }

    Json toJson(const std::vector<TokenProbability>& answers) const
    {
        Json list = Json::array();
        for (const TokenProbability& each : answers) {
            Json answer{{"token", each.token}, {"probability", each.probability}};
            if (m_codec)
                answer["text"] = nameOfToken(each.token);
            list.push_back(std::move(answer));
        }
        return list;
    }

    void printMasks(const std::vector<std::vector<MaskAnswers>>& masks)
    {
        for (std::size_t prompt = 0; prompt < masks.size(); ++prompt) {
            for (std::size_t mask = 0; mask < masks[prompt].size(); ++mask) {
                if (masks.size() > 1 || masks[prompt].size() > 1)
                    m_output.print(fmt::format("prompt {}, mask {}\n", prompt + 1, mask + 1));
                for (const TokenProbability& each : masks[prompt][mask].best)
                    m_output.print(
                        fmt::format("{:6.2f} %  {}\n", 100 * each.probability, nameOfToken(each.token)));
            }
        }
    }

    const TryOptions& m_options;
    StoredModel m_stored;
    AnswerOutput& m_output;
    std::unique_ptr<const TextCodec> m_codec; ///< null where nothing needs it
    std::string m_text;
    std::vector<TokenIds> m_prompts;
    std::vector<TokenIds> m_grown; ///< prompts with the tokens so far
};

Status tryModel(const TryOptions& options, const std::filesystem::path& model, AnswerOutput& output)
{
    if (!options.text.empty() && !options.tokenIds.empty())
        return badInput("there are a text and --token-ids", "give one of them");
    const CheckpointWish wish = CheckpointWish::of(options.step, options.best);
    TRAINYARD_TRY_STATUS(bringMissingShards(model, wish, output));
    TRAINYARD_TRY(StoredModel stored, StoredModel::open(model, wish));
    if (!stored.remark().empty())
        output.remark("using " + stored.remark());
    const TaskSpec& task = stored.spec().task;
    const TaskKind head = task.hasHead() ? task.kind : TaskKind::None;
    TRAINYARD_TRY_STATUS(checkTryUses(options, trialUseOf(stored.spec().isDecoder(), head)));
    if (task.hasHead())
        return tryTask(options, std::move(stored), output);
    if (!options.pair.empty())
        return badInput("--pair is for models with the head of a task, and this one predicts words",
                        "put everything into one text");
    return Trial(options, std::move(stored), output).run();
}

} // namespace

Status runTry(const TryOptions& options, const std::filesystem::path& runDirectory)
{
    return answer(runDirectory, [&](AnswerOutput& output) {
        return tryModel(options, modelOfJob(options.model, runDirectory), output);
    });
}

} // namespace trainyard
