#include "engine/spec/families/family_table.h"

namespace trainyard {

// Devlin et al., arXiv:1810.04805. What it decides are the defaults of ModelSpec.
const FamilyTable& bertTable()
{
    static const FamilyTable table{.describe = [](ModelSpec&) {},
                                   .loraTargets = {"query", "value"},
                                   .names = {.words = "bert.embeddings.word_embeddings.weight",
                                             .positions = "bert.embeddings.position_embeddings.weight",
                                             .tokenTypes = "bert.embeddings.token_type_embeddings.weight",
                                             .embeddingNorm = "bert.embeddings.LayerNorm",
                                             .layers = "bert.encoder.layer",
                                             .query = "attention.self.query",
                                             .key = "attention.self.key",
                                             .value = "attention.self.value",
                                             .queryNorm = "attention.self.query_norm",
                                             .keyNorm = "attention.self.key_norm",
                                             .attentionOutput = "attention.output.dense",
                                             .attentionNorm = "attention.output.LayerNorm",
                                             .attentionOutputNorm = "attention.output.output_norm",
                                             .gate = "intermediate.gate",
                                             .in = "intermediate.dense",
                                             .out = "output.dense",
                                             .feedForwardNorm = "output.LayerNorm",
                                             .feedForwardOutputNorm = "output.output_norm",
                                             .finalNorm = "bert.encoder.LayerNorm",
                                             .decoder = "cls.predictions.decoder.weight",
                                             .transform = "cls.predictions.transform.dense",
                                             .transformNorm = "cls.predictions.transform.LayerNorm",
                                             .decoderBias = "cls.predictions.bias"},
                                   .taskHeads = {.pooler = "bert.pooler.dense",
                                                 .sequences = "classifier",
                                                 .tokens = "classifier",
                                                 .answers = "qa_outputs"}};
    return table;
}

} // namespace trainyard
