#pragma once

#include "engine/checkpoint/hugging_face/conversion_commands.h"
#include "engine/evaluation/evaluation.h"

namespace CLI {
class App;
}

namespace trainyard {

/// The commands on one model in one process, without a run: eval, import and export.
class ModelCommands {
public:
    /// Adds the commands to `app`, which outlives this object.
    explicit ModelCommands(CLI::App& app);

    /// Runs the one that was chosen; the exit status. eval prints its series on stdout.
    int run();

private:
    void addEval();
    void addImportAndExport();
    Status runChosen();

    CLI::App& m_app;
    EvalOptions m_eval;
    std::string m_precision = "float32";
    std::string m_optimizer;
    bool m_json = false;
    EvalTraining m_training;
    ImportOptions m_import;
    ExportOptions m_export;
    std::string m_maxShard = "5 GiB";
};

} // namespace trainyard
