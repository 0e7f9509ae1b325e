#pragma once

#include <optional>
#include <string>

#include <QJsonObject>
#include <QString>

#include "app/cli/support/spec_input.h"
#include "engine/base/result.h"
#include "engine/planner/layout/shape.h"
#include "engine/spec/diagnostic.h"
#include "remote/launch/data_set_manifest.h"

namespace CLI {
class App;
}

namespace trainyard {

/// The sequences that the user asked for.
struct ShapeInput {
    std::optional<int> length;         ///< tokens per sequence
    std::optional<int> maxPredictions; ///< masked positions per sequence
    std::optional<int> phase;          ///< of the run, from 1
};

/// --seq-len, --max-pred and --phase. `input` has to live as long as the command.
void addShapeOptions(CLI::App& command, ShapeInput& input);

/// The user's values, else those of the data set if its manifest is readable from here, else sequencesOf()
/// the model's positions.
SequenceShape shapeFor(const ModelSpec& model, const ShapeInput& input, const Result<DataSetManifest>& data);

/// Requested values that no model or sequence allows: more tokens than positions, more masked than tokens.
Diagnostics shapeProblems(const ModelSpec& model, const ShapeInput& input, const SequenceShape& shape);

/// A specification with its planned sequences. With a status other than 0 it is unusable, and every problem
/// has been printed.
struct ShapedSpec {
    RunSpec spec;
    SequenceShape shape;
    int status = 0;
};
/// readSpecInput() of the requested phase, else the first one, shapeProblems(), and what keeps ranks from
/// sharing such sequences (sharingProblems()).
ShapedSpec readShapedSpec(const std::string& file, const ShapeInput& input, bool json,
                          SpecUse use = SpecUse::Plan);

/// "sequences of 512 tokens, 76 of them masked".
QString shapeText(const ModelSpec& model, const SequenceShape& shape);
QJsonObject toJson(const SequenceShape& shape);

} // namespace trainyard
