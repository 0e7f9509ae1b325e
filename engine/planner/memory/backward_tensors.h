#pragma once

#include "engine/base/processor.h"
#include "engine/base/units.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Against the activations that were kept of a layer or of the head: what a moment of the backward pass has
/// made, and what is gone by then. In bytes, on one rank, for one micro-batch.
struct BackwardTensors {
    Bytes made = 0;
    Bytes gone = 0;
};

/// Of the layer that the backward pass is in.
struct LayerBackward {
    BackwardTensors feedForward; ///< the gradient of what the activation gave has been made
    BackwardTensors attention;   ///< that of the probabilities
};

/// Autograd frees what a function has saved as soon as it has run. `tokens` of each sequence lie on this
/// rank. Widened `products` hold a float32 copy of their result while they are under way.
LayerBackward layerBackward(const RunSpec& spec, Bytes tokens,
                            NarrowProducts products = NarrowProducts::Native);

/// What computing a layer again holds beside what it makes anew: its output and the gradient of that.
Bytes besideRecomputation(const RunSpec& spec, Bytes tokens);

/// The head on the positions that it predicts.
struct HeadActivations {
    Bytes kept = 0;              ///< but for the logits
    Bytes logits = 0;            ///< or their exponentials
    BackwardTensors ofLogits;    ///< StepMoment::Logits
    BackwardTensors ofWeights{}; ///< StepMoment::HeadWeights
    Bytes pending = 0;           ///< factors of the products for the gradients of weights
};

/// `targets` of each sequence are predicted on this rank.
HeadActivations headActivations(const RunSpec& spec, Bytes tokens, Bytes targets,
                                NarrowProducts products = NarrowProducts::Native);

} // namespace trainyard
