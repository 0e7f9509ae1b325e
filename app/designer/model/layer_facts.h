#pragma once

#include <QStringList>

#include "engine/spec/run_spec.h"

namespace trainyard {

// What a model's parts are, in words: the texts in the boxes of a LayerDrawing. One fact each, without
// parameters, in the order in which they are read.

/// "128 256 words of 4 096", "512 learned positions", ...
QStringList embeddingFacts(const ModelSpec& model);
/// "LayerNorm" or "RMSNorm".
QString normName(const ModelSpec& model);
/// What distinguishes it from the usual one of that name.
QStringList normFacts(const ModelSpec& model);
/// "32 heads of 128, 8 for keys and values", "causal", "rotary base 500 000", "window of 4 096 tokens", ...
QStringList attentionFacts(const ModelSpec& model);
/// "5 of 6 layers look back 4 096 tokens"; empty if all layers see all tokens.
QString windowFact(const ModelSpec& model);
/// "SwiGLU 14 336".
QStringList feedForwardFacts(const ModelSpec& model);
/// "chooses 2 of 8 experts for each token".
QStringList routerFacts(const ModelSpec& model);
/// "8 experts of SwiGLU 14 336", "2 per token".
QStringList expertFacts(const ModelSpec& model);
/// What predicts words, or a task's answers.
QStringList headFacts(const ModelSpec& model);

} // namespace trainyard
