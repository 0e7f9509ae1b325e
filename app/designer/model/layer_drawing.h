#pragma once

#include <cstdint>
#include <vector>

#include <QStringList>

#include "engine/spec/diagnostic.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

struct DrawnTensor {
    QString name; ///< Hugging Face's
    std::vector<std::int64_t> shape;
    std::int64_t parameters = 0;
};

/// A part of a model that data pass, drawn as a box.
struct DrawnBox {
    enum class Kind { Embedding, Norm, Attention, FeedForward, Router, Experts, Head };

    Kind kind = Kind::Norm;
    QString title;
    QStringList facts;
    int times = 1;                    ///< how many of them the model has
    std::vector<DrawnTensor> tensors; ///< of the first of them

    std::int64_t parameters() const; ///< of one of them
    std::int64_t allParameters() const { return times * parameters(); }
};

/// Boxes that data pass one after the other, from the residual to the next sum.
struct DrawnLane {
    std::vector<DrawnBox> boxes;
    bool isAlternative = false; ///< other layers have it in the place of the lane before
};

/// What is added to the residual at a sum.
struct DrawnBranch {
    std::vector<DrawnLane> lanes;   ///< beside each other, from the same input
    std::vector<DrawnBox> afterSum; ///< on the residual itself
};

/// A model as boxes in the order in which data pass them, one of its layers in detail. The parameters of all
/// boxes, times how often they are there, are those of the model. A plain value.
struct LayerDrawing {
    std::vector<DrawnBox> before; ///< the layers
    std::vector<DrawnBranch> branches;
    std::vector<DrawnBox> behind; ///< the layers
    int layers = 0;
    std::int64_t parameters = 0;
    std::int64_t active = 0;  ///< for one token; fewer with a mixture of experts
    std::int64_t trained = 0; ///< fewer with adapters

    /// In the order of the flow, lane after lane.
    std::vector<const DrawnBox*> boxes() const;
    std::int64_t layerParameters() const; ///< of all layers
};

/// Requires a model without problems.
LayerDrawing drawLayer(const ModelSpec& model);

/// What is wrong with the model alone, whatever the rest of a specification.
Diagnostics modelProblems(const ModelSpec& model);

} // namespace trainyard
