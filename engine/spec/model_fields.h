#pragma once

#include "engine/spec/field_info.h"
#include "engine/spec/limits.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

template <typename Visitor>
void describe(Visitor& field, Of<ModelSpec>)
{
    field("preset", &ModelSpec::preset,
          {.label = "Preset",
           .help = "Fills in the shape of a known model; every other key overrides it",
           .optional = true});
    field("family", &ModelSpec::family,
          {.label = "Family",
           .help = "Encoder (bert) or decoder (gpt); decides the defaults of activation, norm, token types, "
                   "heads and epsilon",
           .source = "Devlin et al., arXiv:1810.04805; Brown et al., arXiv:2005.14165"});
    field("layers", &ModelSpec::layers,
          {.label = "Layers",
           .help = "Transformer layers",
           .range = between(1, kMaxLayers),
           .source = "Vaswani et al., arXiv:1706.03762"});
    field("hidden", &ModelSpec::hidden,
          {.label = "Hidden size",
           .help = "Width of the hidden states, a multiple of the number of heads",
           .range = between(1, kMaxWidth),
           .source = "Vaswani et al., arXiv:1706.03762"});
    field("heads", &ModelSpec::heads,
          {.label = "Attention heads",
           .help = "Attention heads, each hidden size / heads wide",
           .range = between(1, kMaxWidth),
           .source = "Vaswani et al., arXiv:1706.03762"});
    field("intermediate", &ModelSpec::intermediate,
          {.label = "Feed-forward",
           .help = "Width inside the feed-forward layer, often 4 × hidden",
           .range = between(1, kMaxWidth),
           .source = "Vaswani et al., arXiv:1706.03762"});
    field("vocabulary", &ModelSpec::vocabulary,
          {.label = "Vocabulary",
           .help = "Entries of the tokenizer's vocabulary",
           .range = between(6, kMaxEntries),
           .source = "Shoeybi et al., arXiv:1909.08053, on padding it"});
    field("max_positions", &ModelSpec::maxPositions,
          {.label = "Positions",
           .help = "Longest sequence that the model can read",
           .range = between(8, kMaxEntries),
           .unit = "tokens",
           .source = "Devlin et al., arXiv:1810.04805"});
    field("token_types", &ModelSpec::tokenTypes,
          {.label = "Token types",
           .help = "Kinds of segments in a row: at least 2 for bert, 0 for gpt",
           .range = atLeast(0),
           .source = "Devlin et al., arXiv:1810.04805"});
    field("activation", &ModelSpec::activation,
          {.label = "Activation",
           .help = "Feed-forward activation: gelu is exact, gelu_new approximates it with tanh; swiglu needs "
                   "a second matrix",
           .source = "Hendrycks and Gimpel, arXiv:1606.08415; Shazeer, arXiv:2002.05202"});
    field("norm", &ModelSpec::norm,
          {.label = "Layer norms",
           .help =
               "post: after each residual sum; pre: before attention and feed-forward, and after the last "
               "layer",
           .source = "Xiong et al., arXiv:2002.04745"});
    field(
        "positions", &ModelSpec::positions,
        {.label = "Position encoding",
         .help =
             "learned: a table of embeddings; rotary: queries and keys are rotated by an angle per position",
         .source = "Su et al., arXiv:2104.09864"});
    field("tied_head", &ModelSpec::tiedHead,
          {.label = "Tied head",
           .help = "The head shares the matrix of the word embeddings",
           .source = "Press and Wolf, arXiv:1608.05859"});
    field("next_sentence", &ModelSpec::nextSentence,
          {.label = "Next sentence",
           .help = "Adds a pooler and the next-sentence head; bert only",
           .source = "Devlin et al., arXiv:1810.04805"});
    field("dropout", &ModelSpec::dropout,
          {.label = "Dropout",
           .help = "Fraction of hidden-state elements that are dropped",
           .range = fraction(),
           .source = "Hinton et al., arXiv:1207.0580"});
    field("attention_dropout", &ModelSpec::attentionDropout,
          {.label = "Attention dropout",
           .help = "Fraction of attention probabilities that are dropped",
           .range = fraction(),
           .source = "Vaswani et al., arXiv:1706.03762"});
    field("layer_norm_epsilon", &ModelSpec::layerNormEpsilon,
          {.label = "Norm epsilon",
           .help = "Added to the variance in layer norms",
           .range = positive(),
           .source = "Ba et al., arXiv:1607.06450"});
    field("initializer_range", &ModelSpec::initializerRange,
          {.label = "Initial range",
           .help = "Standard deviation of the initial weights",
           .range = positive(),
           .source = "Devlin et al., arXiv:1810.04805"});
}

} // namespace trainyard
