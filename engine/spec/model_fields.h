#pragma once

#include "engine/spec/field_info.h"
#include "engine/spec/limits.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

template <typename Visitor>
void describe(Visitor& field, Of<RopeSpec>)
{
    field("base", &RopeSpec::base,
          {.label = "Rotary base",
           .help = "Pair i of a head of width D turns by base^(-2 i / D) per position",
           .range = positive(),
           .source = "Su et al., arXiv:2104.09864",
           .onlyIfSet = true});
    field("window_base", &RopeSpec::windowBase,
          {.label = "Rotary base in windows",
           .help = "The same in layers with a window; 0: base",
           .range = atLeast(0),
           .zero = "As base",
           .source = "Warner et al., arXiv:2412.13663",
           .onlyIfSet = true});
    field("share", &RopeSpec::share,
          {.label = "Rotary share",
           .help = "Share of each head's numbers that are turned",
           .range = {.min = 0, .max = 1, .withMin = false},
           .source = "Black et al., arXiv:2204.06745",
           .onlyIfSet = true});
    field("scaling", &RopeSpec::scaling,
          {.label = "Rotary scaling",
           .help = "How positions beyond the original ones are reached",
           .source = "Grattafiori et al., arXiv:2407.21783; Peng et al., arXiv:2309.00071",
           .onlyIfSet = true});
    field("factor", &RopeSpec::factor,
          {.label = "Rotary factor",
           .help = "How many times as many positions",
           .range = atLeast(1),
           .onlyIfSet = true});
    field("original_positions", &RopeSpec::originalPositions,
          {.label = "Original positions",
           .help = "Positions before scaling; 0: those of the model",
           .range = atLeast(0),
           .zero = "Model's",
           .onlyIfSet = true});
    field(
        "low_frequency_factor", &RopeSpec::lowFrequencyFactor,
        {.label = "Low-frequency factor",
         .help =
             "llama3: turns of fewer rounds than this over the original positions are divided by the factor",
         .range = positive(),
         .onlyIfSet = true});
    field("high_frequency_factor", &RopeSpec::highFrequencyFactor,
          {.label = "High-frequency factor",
           .help = "llama3: turns of more rounds than this stay as they are",
           .range = positive(),
           .onlyIfSet = true});
    field("beta_fast", &RopeSpec::betaFast,
          {.label = "YaRN beta fast",
           .help = "yarn: turns of more rounds than this stay as they are",
           .range = positive(),
           .onlyIfSet = true});
    field("beta_slow", &RopeSpec::betaSlow,
          {.label = "YaRN beta slow",
           .help = "yarn: turns of fewer rounds than this are divided by the factor",
           .range = positive(),
           .onlyIfSet = true});
    field("attention_factor", &RopeSpec::attentionFactor,
          {.label = "YaRN attention factor",
           .help = "yarn: queries and keys are multiplied with it; 0: 0.1 ln(factor) + 1",
           .range = atLeast(0),
           .zero = "By factor",
           .onlyIfSet = true});
}

template <typename Visitor>
void describe(Visitor& field, Of<ExpertSpec>)
{
    field(
        "count", &ExpertSpec::count,
        {.label = "Experts",
         .help = "Feed-forwards in a layer, of which a router gives each token a few; 0: one for all tokens",
         .range = between(0, kMaxExperts),
         .zero = "None",
         .source = "Shazeer et al., arXiv:1701.06538",
         .onlyIfSet = true});
    field("per_token", &ExpertSpec::perToken,
          {.label = "Experts per token",
           .help = "Experts that each token takes, the likeliest first; no token is dropped",
           .range = between(1, kMaxExperts),
           .source = "Jiang et al., arXiv:2401.04088",
           .onlyIfSet = true});
    field("width", &ExpertSpec::width,
          {.label = "Expert width",
           .help = "Width inside an expert; 0: that of the feed-forward layer",
           .range = between(0, kMaxWidth),
           .zero = "Feed-forward",
           .onlyIfSet = true});
    field("every", &ExpertSpec::every,
          {.label = "Expert layer every",
           .help = "The last of each so many layers has experts, the others have one feed-forward",
           .range = between(1, kMaxLayers),
           .source = "Lepikhin et al., arXiv:2006.16668",
           .onlyIfSet = true});
    field("normalized", &ExpertSpec::normalized,
          {.label = "Weights add up to 1",
           .help = "The weights of a token's experts are divided by their sum",
           .onlyIfSet = true});
    field(
        "balance_loss", &ExpertSpec::balanceLoss,
        {.label = "Balance loss",
         .help = "Weight of the loss, of each micro-batch, that grows as experts get unequal shares; 0: off",
         .range = atLeast(0),
         .zero = "Off",
         .source = "Fedus et al., arXiv:2101.03961",
         .onlyIfSet = true});
    field("z_loss", &ExpertSpec::zLoss,
          {.label = "Router z loss",
           .help = "Weight of the loss that keeps the router's logits small; 0: off",
           .range = atLeast(0),
           .zero = "Off",
           .source = "Zoph et al., arXiv:2202.08906",
           .onlyIfSet = true});
}

template <typename Visitor>
void describe(Visitor& field, Of<ModelSpec>)
{
    field("preset", &ModelSpec::preset,
          {.label = "Preset",
           .help = "Fills in the shape of a known model; every other key overrides it",
           .optional = true});
    field("family", &ModelSpec::family,
          {.label = "Family",
           .help = "Names its tensors and decides the defaults of a layer; encoders are bert, roberta and "
                   "modernbert",
           .source = "Devlin et al., arXiv:1810.04805; Brown et al., arXiv:2005.14165"});
    field("layers", &ModelSpec::layers,
          {.label = "Layers",
           .help = "Transformer layers",
           .range = between(1, kMaxLayers),
           .source = "Vaswani et al., arXiv:1706.03762"});
    field("hidden", &ModelSpec::hidden,
          {.label = "Hidden size",
           .help = "Width of the hidden states; without head_width a multiple of the number of heads",
           .range = between(1, kMaxWidth),
           .source = "Vaswani et al., arXiv:1706.03762"});
    field("heads", &ModelSpec::heads,
          {.label = "Attention heads",
           .help = "Attention heads, each head_width or hidden size / heads wide",
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
           .help = "Kinds of segments in a row: at least 2 for bert, 1 for roberta, 0 for decoders",
           .range = atLeast(0),
           .source = "Devlin et al., arXiv:1810.04805"});
    field("activation", &ModelSpec::activation,
          {.label = "Activation",
           .help =
               "gelu is exact, gelu_new approximates it with tanh; swiglu, geglu and geglu_new need a second "
               "matrix",
           .source = "Hendrycks and Gimpel, arXiv:1606.08415; Shazeer, arXiv:2002.05202"});
    field("norm", &ModelSpec::norm,
          {.label = "Layer norms",
           .help = "post: after each residual sum; pre: before attention and feed-forward; output: of what "
                   "they give; "
                   "both; not post: once more at the end",
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
    field("kv_heads", &ModelSpec::keyValueHeads,
          {.label = "Key/value heads",
           .help = "Heads of keys and values, each shared by an equal number of heads; 0: as many as heads",
           .range = between(0, kMaxWidth),
           .zero = "As heads",
           .source = "Ainslie et al., arXiv:2305.13245",
           .onlyIfSet = true});
    field("head_width", &ModelSpec::headWidth,
          {.label = "Head width",
           .help = "Width of a head; 0: hidden size / heads",
           .range = between(0, kMaxWidth),
           .zero = "Hidden / heads",
           .onlyIfSet = true});
    field("norm_kind", &ModelSpec::normKind,
          {.label = "Norm",
           .help = "layer_norm, rms_norm, or rms_norm_offset, whose weight is added to 1",
           .source = "Ba et al., arXiv:1607.06450; Zhang and Sennrich, arXiv:1910.07467",
           .onlyIfSet = true});
    field("norm_biases", &ModelSpec::normBiases,
          {.label = "Norm biases", .help = "Layer norms have a bias", .onlyIfSet = true});
    field("attention_biases", &ModelSpec::attentionBiases,
          {.label = "Attention biases",
           .help = "Products of attention with a bias: all, qkv (queries, keys and values) or none",
           .onlyIfSet = true});
    field("feed_forward_biases", &ModelSpec::feedForwardBiases,
          {.label = "Feed-forward biases",
           .help = "Products of the feed-forward layer have a bias",
           .onlyIfSet = true});
    field("qk_norm", &ModelSpec::queryKeyNorm,
          {.label = "Query and key norm",
           .help = "Norm of queries and keys: none, head (of each head) or whole (of all heads together)",
           .source = "Henry et al., arXiv:2010.04245",
           .onlyIfSet = true});
    field("parallel_residual", &ModelSpec::parallelResidual,
          {.label = "Parallel residual",
           .help = "Attention and feed-forward layer both see the layer's input",
           .source = "Black et al., arXiv:2204.06745",
           .onlyIfSet = true});
    field(
        "window", &ModelSpec::window,
        {.label = "Attention window",
         .help = "Tokens that a decoder's token sees, itself included, or an encoder's on each side; 0: all",
         .range = atLeast(0),
         .unit = "tokens",
         .zero = "Off",
         .source = "Beltagy et al., arXiv:2004.05150",
         .onlyIfSet = true});
    field("global_every", &ModelSpec::globalEvery,
          {.label = "Global layer every",
           .help = "With a window: of each so many layers one sees all tokens; 0: none does",
           .range = between(0, kMaxLayers),
           .zero = "None",
           .onlyIfSet = true});
    field("global_first", &ModelSpec::globalFirst,
          {.label = "First global layer",
           .help = "The first layer that sees all tokens, counted from 0",
           .range = between(0, kMaxLayers),
           .onlyIfSet = true});
    field("global_leading", &ModelSpec::globalLeading,
          {.label = "Global layers at the front",
           .help = "With a window: so many layers at the front see all tokens too",
           .range = between(0, kMaxLayers),
           .onlyIfSet = true});
    field("query_scale_width", &ModelSpec::queryScaleWidth,
          {.label = "Query scale width",
           .help = "Scores are divided by its square root; 0: width of a head",
           .range = atLeast(0),
           .zero = "Head width",
           .source = "Gemma Team, arXiv:2408.00118",
           .onlyIfSet = true});
    field("score_cap", &ModelSpec::scoreCap,
          {.label = "Score cap",
           .help = "Scores become cap x tanh(score / cap); 0: as they are",
           .range = atLeast(0),
           .zero = "Off",
           .source = "Gemma Team, arXiv:2408.00118",
           .onlyIfSet = true});
    field("logit_cap", &ModelSpec::logitCap,
          {.label = "Logit cap",
           .help = "The same of the logits of words",
           .range = atLeast(0),
           .zero = "Off",
           .source = "Gemma Team, arXiv:2408.00118",
           .onlyIfSet = true});
    field("scaled_embeddings", &ModelSpec::scaledEmbeddings,
          {.label = "Scaled embeddings",
           .help = "Word embeddings are multiplied with the square root of the hidden size",
           .source = "Vaswani et al., arXiv:1706.03762",
           .onlyIfSet = true});
    field("embedding_norm", &ModelSpec::embeddingNorm,
          {.label = "Embedding norm", .help = "The embeddings are normalised", .onlyIfSet = true});
    field("first_layer_norm", &ModelSpec::firstLayerNorm,
          {.label = "First layer norm",
           .help = "The first layer has a norm before attention",
           .onlyIfSet = true});
    field("position_offset", &ModelSpec::positionOffset,
          {.label = "Position offset",
           .help = "Rows of the table of positions before that of the first token",
           .range = between(0, 1024),
           .onlyIfSet = true});
    field("padding_word", &ModelSpec::paddingWord,
          {.label = "Padding word",
           .help = "Id of the word whose embedding does not learn; -1: none",
           .range = between(-1, kMaxEntries),
           .onlyIfSet = true});
    field("transform_bias", &ModelSpec::transformBias,
          {.label = "Bias in the head",
           .help = "The product in an encoder's head has a bias",
           .onlyIfSet = true});
    field("rope", &ModelSpec::rope, {.help = "Rotary positions", .onlyIfSet = true});
    field("experts", &ModelSpec::experts, {.help = "Mixture of experts", .onlyIfSet = true});
}

} // namespace trainyard
