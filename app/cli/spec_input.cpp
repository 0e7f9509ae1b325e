#include "app/cli/spec_input.h"

#include "app/cli/console.h"
#include "app/cli/problem_output.h"
#include "engine/spec/remarks.h"
#include "engine/spec/spec_json.h"
#include "engine/spec/validate.h"

namespace trainyard {

SpecInput readSpecInput(const std::string& file, bool json)
{
    const auto checked = checkSpec(file);
    if (!checked.ok())
        return {{}, console::fail(checked.error())};
    const auto& [spec, problems] = *checked;
    if (!problems.empty())
        return {{}, failForProblems(file, explain(spec, problems, validate), json)};
    warn(file, remarksOn(spec));
    return {spec, 0};
}

} // namespace trainyard
