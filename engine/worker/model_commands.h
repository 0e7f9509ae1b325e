#pragma once

#include "engine/certification/certificate.h"
#include "engine/checkpoint/hugging_face/conversion_commands.h"
#include "engine/evaluation/options/eval_command_line.h"
#include "engine/hand_over/options/export_command_line.h"
#include "engine/worker/try_command.h"

namespace CLI {
class App;
}

namespace trainyard {

/// The commands on one model in one process, without a run: eval, import, export, certify and try.
class ModelCommands {
public:
    /// Adds the commands to `app`, which outlives this object.
    explicit ModelCommands(CLI::App& app);

    /// Runs the chosen command and returns the exit status. eval, certify and try print on stdout.
    int run();

private:
    void addEval();
    void addImportAndExport();
    void addCertify();
    void addTry();
    Status runChosen();

    CLI::App& m_app;
    EvalCommandLine m_eval;
    std::filesystem::path m_evalRunDirectory;
    ImportOptions m_import;
    ModelExportOptions m_export;
    std::filesystem::path m_exportRunDirectory;
    CertifyOptions m_certify;
    TryOptions m_try;
    std::filesystem::path m_tryRunDirectory;
};

} // namespace trainyard
