#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/certification/recorded_run.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// How far a layout is from one rank in one precision.
struct LayoutCheck {
    ComputeType precision = ComputeType::Float64;
    std::string phase{}; ///< of a run with phases: its name
    int steps = 0;       ///< compared from the first on
    double bound = 0;    ///< relative difference that rounding explains
    double worst = 0;    ///< largest relative difference up to `step`
    std::string where{}; ///< "loss", "gradient norm", "gradient of <parameter>", "<parameter>"
    int step = 0;        ///< of `where`: the first one beyond the bound, or that of the largest difference

    bool holds() const { return worst <= bound; }
};

/// A small run in a layout against the same run on one rank.
struct Certificate {
    ParallelLayout layout;            ///< as it was run
    std::vector<std::string> changes; ///< settings reduced from the specification's
    std::vector<LayoutCheck> checks;

    bool holds() const;
    std::string toText() const;
    std::string toJson() const;
};

/// Compares step by step up to the first one beyond the bound; later differences follow from it. `check`
/// gives precision and bound; the rest of it is filled in.
LayoutCheck compareRuns(LayoutCheck check, const std::vector<RecordedStep>& layout,
                        const std::vector<RecordedStep>& single);

/// Two checks. In float64 nothing but the order of sums differs, so that any difference beyond 1e-9 in loss,
/// gradient norm, gradients or weights of any of the steps is an error of logic. In the specification's own
/// precision the losses and gradients of the first step: each run is within
///     4 * 1.03^(layers + 1) * eps
/// of the exact gradient, relative to its norm (arXiv:2506.09280, theorem 5.3, eps = 2^-8 of bfloat16), and
/// the two within twice that of each other; in float32, where the order of sums matters more than single
/// values, 1e-5 replaces 8 eps. Of a run with phases each phase that another batch, optimizer or memory
/// saving makes another computation. Fails as validate() says; the data set is not used.
Result<Certificate> certify(const RunSpec& spec, int steps);

/// `trainyard-worker certify`.
struct CertifyOptions {
    std::filesystem::path spec;
    int steps = 5;
    bool json = false;
};

/// Prints the certificate. AccountingAllocator must be installed. Failed, naming step and tensor, when the
/// layout does not hold.
Status runCertify(const CertifyOptions& options);

} // namespace trainyard
