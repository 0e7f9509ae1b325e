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

/// What the user said of sequences.
struct ShapeInput {
    std::optional<int> length;         ///< tokens per sequence
    std::optional<int> maxPredictions; ///< masked positions per sequence
};

/// --seq-len and --max-pred. `input` has to live as long as the command.
void addShapeOptions(CLI::App& command, ShapeInput& input);

/// What the user said, else the data set's when its manifest can be read from here, else sequencesOf() the
/// model's positions.
SequenceShape shapeFor(const ModelSpec& model, const ShapeInput& input, const Result<DataSetManifest>& data);

/// What of the user's words no model or sequence allows: more tokens than positions, more masked than tokens.
Diagnostics shapeProblems(const ModelSpec& model, const ShapeInput& input, const SequenceShape& shape);

/// A specification with the sequences that it is planned for. With a status other than 0 it cannot be used,
/// and every problem has been printed.
struct ShapedSpec {
    RunSpec spec;
    SequenceShape shape;
    int status = 0;
};
/// readSpecInput(), shapeProblems(), and what keeps ranks from sharing such sequences (sharingProblems()).
ShapedSpec readShapedSpec(const std::string& file, const ShapeInput& input, bool json,
                          SpecUse use = SpecUse::Plan);

/// "sequences of 512 tokens, 76 of them masked".
QString shapeText(const ModelSpec& model, const SequenceShape& shape);
QJsonObject toJson(const SequenceShape& shape);

} // namespace trainyard
