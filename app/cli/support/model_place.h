#pragma once

#include <string>

#include "engine/base/result.h"

namespace trainyard {

class ModelJob;

/// A model and the host that has it.
struct ModelPlace {
    std::string host;  ///< empty: the command itself reads the model
    std::string model; ///< a path there, or the id of a run of the host
};

/// What `model` names: a path on `host`, or a run, wherever it is.
ModelPlace modelPlaceOf(const std::string& model, const std::string& host);

/// Runs the job until it has ended, and prints what it prints.
Status printAnswer(ModelJob& job);

} // namespace trainyard
