#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace trainyard {

/// A model and the host that has it.
struct ModelPlace {
    std::string host;  ///< empty: the command itself reads the model
    std::string model; ///< a path there, or the id of a run of the host
};

/// What `model` names: a path on `host`, or a run, wherever it is. noSuchModel() where it names neither a
/// path of this machine nor a run of this desk.
Result<ModelPlace> modelPlaceOf(const std::string& model, const std::string& host);

/// A path that an option of a command gives.
struct OptionPath {
    const char* option; ///< "--data"
    std::string& path;
};

/// For a job of `host`, which works in another folder than its caller: makes paths of this machine absolute.
/// BadInput for a relative path of another host. Empty paths remain empty.
Status makeAbsolute(const std::string& host, std::initializer_list<OptionPath> paths);

/// Runs a command of trainyard-worker on a model where it is, and prints what it prints. On `host` by a job;
/// empty: in this process, which it replaces, so that it returns only an exit status of a failure to start.
Result<int> runModelCommand(const std::string& host, const std::string& command,
                            const std::vector<std::string>& arguments);

} // namespace trainyard
