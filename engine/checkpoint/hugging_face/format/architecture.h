#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/base/result.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// The role of a Hugging Face tensor in the engine.
struct TensorRole {
    enum class Kind {
        Parameter, ///< the values of `parameter`
        Copy,      ///< the same values again, of a tied tensor; checked, not read
        OtherHead, ///< the values of `parameter`, which this model does not compute with
        Unused,    ///< a buffer, or what Hugging Face does not compute with either
    };
    Kind kind = Kind::Parameter;
    std::string parameter; ///< name in the engine; need not exist there
    /// Of a parameter that several tensors make up: the rows that this one has. 0 rows: all.
    std::int64_t firstRow = 0;
    std::int64_t rows = 0;
};

using TensorNames = std::set<std::string>;

/// One of Hugging Face's model types: its config.json, and how its tensors are called and stored. Families
/// whose table describes them need none of their own. Immutable; any thread.
class Architecture {
public:
    virtual ~Architecture() = default;

    virtual std::string_view modelType() const = 0; ///< of config.json: "bert"
    virtual ModelFamily family() const = 0;
    /// Name of the Python class: "BertForMaskedLM".
    virtual std::string className(const ModelSpec& model) const = 0;

    /// BadInput for options under which this engine would compute differently from Hugging Face. Throws
    /// nlohmann::json::exception for a missing key or a wrong type. `tensors`: what the weight files hold.
    virtual Result<ModelSpec> readConfig(const nlohmann::ordered_json& config,
                                         const TensorNames& tensors) const = 0;
    /// `labels`: names of the labels of the model's task by their numbers; LABEL_0 ... for others than the
    /// task has.
    virtual nlohmann::ordered_json config(const ModelSpec& model,
                                          const std::vector<std::string>& labels) const = 0;
    /// BadInput for models that Hugging Face has no class for.
    virtual Status requireExportable(const ModelSpec& model) const = 0;

    virtual TensorRole roleOf(const std::string& name, const ModelSpec& model,
                              const TensorNames& tensors) const = 0;
    /// Stored as [in, out] instead of the engine's [out, in].
    virtual bool isTransposed(const std::string& parameter) const = 0;
    /// A second name under which the parameter is stored as well; empty for most.
    virtual std::string secondName(const std::string& parameter, const ModelSpec& model) const = 0;
};

/// BadInput naming the accepted types.
Result<const Architecture*> architectureOf(std::string_view modelType);
const Architecture& architectureOf(const ModelSpec& model);

const Architecture& bertArchitecture();
const Architecture& gpt2Architecture();

/// BadInput naming a field of the description that differs in what `said`, the model's own configuration read
/// again, says: Hugging Face has no word for it.
Status requireSaid(const ModelSpec& model, const Result<ModelSpec>& said);

/// "LABEL_2", as Hugging Face calls a label without a name.
std::string unnamedLabel(int number);

/// Hugging Face's name of an activation. BadInput where it has another or none.
Result<Activation> activationFrom(const std::string& name);

} // namespace trainyard
