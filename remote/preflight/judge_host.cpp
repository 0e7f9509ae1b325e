#include "remote/preflight/judge_host.h"

#include "remote/preflight/host_rows.h"

namespace trainyard {

HostReport judgeHost(const HostFacts& facts, const EngineNeeds& engine)
{
    using namespace preflight;
    HostReport report{facts.host, {}, facts, {}};
    report.rows << connectionRows(facts) << systemRows(facts, engine) << deviceRows(facts, engine)
                << storageRows(facts) << limitRows(facts) << programRows(facts);
    return report;
}

} // namespace trainyard
