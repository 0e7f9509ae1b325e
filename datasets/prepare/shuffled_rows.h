#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "datasets/job/cancel_flag.h"
#include "datasets/job/progress.h"
#include "datasets/options/prepare_options.h"
#include "datasets/prepare/document_store.h"
#include "datasets/prepare/final_rows.h"
#include "datasets/pretraining/pass_counts.h"
#include "datasets/tokenizer/vocabulary.h"

namespace trainyard {

/// Inputs of building instances.
struct InstanceWork {
    const PrepareOptions& options; ///< checked
    const InstanceSettings& settings;
    const DocumentStore& documents;
    const Vocabulary& vocabulary;
    std::span<const std::uint32_t> ordinals; ///< of the documents; each other's random partners
    const PassCounts& passes;                ///< of these
};

/// Builds the instances of every document and pass in parallel and shuffles them in the file
/// `<place>.instances`; resumes at the note `<place>.json` of an earlier process. `work` and its references
/// need not outlive the rows.
Result<std::unique_ptr<FinalRows>> shuffleInstances(const InstanceWork& work,
                                                    const std::filesystem::path& place, Progress& progress,
                                                    const CancelFlag& cancel);

} // namespace trainyard
