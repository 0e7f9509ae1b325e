#include "engine/hand_over/card_sections.h"

#include <fmt/format.h>

#include "engine/base/untrusted_text.h"
#include "engine/hand_over/card_kind.h"
#include "engine/hand_over/card_text.h"

namespace trainyard::card {

namespace {

std::string autoClass(const CardFacts& facts)
{
    return isDecoder(facts) ? "AutoModelForCausalLM"
                            : "AutoModel" + facts.family.substr(facts.family.find("For"));
}

/// The lines of pipeline() have a text that the model continues, fills in or labels.
bool hasPipeline(const CardFacts& facts)
{
    return facts.tokenizer.has_value() && facts.spec.model.task.kind != TaskKind::Answer;
}

std::string_view pipelineText(const CardFacts& facts)
{
    if (facts.spec.model.task.hasHead())
        return "A train leaves the yard.";
    return isDecoder(facts) ? "The first" : "It is the [MASK] of the country.";
}

/// A Python string with the folder's name.
std::string quotedFolder(const CardFacts& facts)
{
    std::string text = "\"";
    for (const char c : sanitizeText(facts.name)) {
        if (c == '"' || c == '\\')
            text += '\\';
        text += c;
    }
    return text + '"';
}

std::string pipelineLines(const CardFacts& facts)
{
    if (!hasPipeline(facts))
        return {};
    return fmt::format("\nrun = pipeline(\"{}\", model=folder, tokenizer=folder)\nprint(run(\"{}\"))\n",
                       pipelineTask(facts), pipelineText(facts));
}

/// PEFT's files do not tell the shape of the head.
std::string labelArgument(const TaskSpec& task)
{
    return task.hasHead() && task.kind != TaskKind::Answer ? fmt::format(", num_labels={}", task.outputs())
                                                           : std::string();
}

std::string adapterLines(const CardFacts& facts)
{
    return fmt::format(
        "base = {}.from_pretrained(\"...\"{})  # the model that the adapters were trained for\n"
        "model = PeftModel.from_pretrained(base, folder)\n```\n",
        autoClass(facts), labelArgument(facts.spec.model.task));
}

/// AutoModel of a BERT or RoBERTa has a pooler; the folder has its weights only for a head of BERT that reads
/// them.
bool addsPooler(const ModelSpec& model)
{
    const bool poolsForTask = model.family == ModelFamily::Bert && model.task.poolsFirstToken();
    const bool hasOne = model.predictsNextSentence() || poolsForTask;
    return !model.isDecoder() && model.family != ModelFamily::ModernBert && !hasOne;
}

/// What transformers says about tensors that a class leaves out or adds.
std::string classesText(const CardFacts& facts)
{
    const ModelSpec& model = facts.spec.model;
    std::string text = fmt::format("\n{} loads every tensor of the folder and adds none.", autoClass(facts));
    if (isDecoder(facts) && model.tiedHead)
        return text + " AutoModel loads the decoder without its head.\n";
    text += fmt::format(" AutoModel loads the {} alone: it names the tensors of the {} as unexpected, as it "
                        "does for checkpoints of Hugging Face",
                        isDecoder(facts) ? "decoder" : "encoder",
                        model.predictsNextSentence() ? "heads" : "head");
    text += addsPooler(model) ? ", and adds a pooler with random weights.\n" : ".\n";
    if (!isDecoder(facts) && model.predictsNextSentence())
        text += "AutoModelForMaskedLM leaves the pooler and the next-sentence head out.\n";
    return text;
}

} // namespace

std::string use(const CardFacts& facts)
{
    const bool hasTokenizer = facts.tokenizer.has_value();
    std::string text =
        fmt::format("\n## Use\n\n```python\n{}from transformers import {}{}{}\n\nfolder = {}\n",
                    facts.adaptersAlone ? "from peft import PeftModel\n" : "", autoClass(facts),
                    hasTokenizer ? ", AutoTokenizer" : "",
                    hasPipeline(facts) && !facts.adaptersAlone ? ", pipeline" : "", quotedFolder(facts));
    if (hasTokenizer)
        text += "tokenizer = AutoTokenizer.from_pretrained(folder)\n";
    if (facts.adaptersAlone)
        return text + adapterLines(facts);
    text +=
        fmt::format("model = {}.from_pretrained(folder)\n{}```\n", autoClass(facts), pipelineLines(facts));
    if (!hasTokenizer)
        text += "\nThe folder has no tokenizer.\n";
    return text + classesText(facts);
}

} // namespace trainyard::card
