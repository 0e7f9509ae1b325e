#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <QString>

#include "engine/base/result.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// A run's specification as a later attempt spreads it over its hosts: in the layout with which it was
/// resumed, with fewer replicas while hosts are away. Those hosts stay in the cluster, with no slots.
struct AttemptSpec {
    std::uint32_t attempt = 2;
    RunSpec spec;
};

/// `request`: the text of attempts/NNNN.json (remote/agent/supervise/launch_request.h). BadInput when it is
/// none, or when its layout is not one of `launched`.
Result<RunSpec> specOfAttempt(const RunSpec& launched, std::string_view request);

/// Of the newest attempt whose request is in the run's folder; nothing when there is none after the first.
/// BadInput naming the file that is damaged.
Result<std::optional<AttemptSpec>> newestAttemptSpec(const QString& folder, const RunSpec& launched);

} // namespace trainyard
