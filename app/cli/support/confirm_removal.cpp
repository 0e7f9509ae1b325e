#include "app/cli/support/confirm_removal.h"

#include "app/cli/support/awaited.h"
#include "app/cli/support/terminal.h"

namespace trainyard {

Status confirmRemoval(const QString& what)
{
    if (!Terminal::isThere())
        return refused("no terminal to confirm the removal of " + what.toStdString(), "use --yes");
    Terminal terminal;
    console::Awaited<bool> answer;
    terminal.ask(
        "Remove " + what + "? Type yes or no:", Terminal::Echo::Shown,
        [&](const std::optional<ssh::Secret>& typed) { answer.set(typed && typed->view() == "yes"); });
    return answer.wait() ? Status() : Status(cancelled("nothing was removed"));
}

} // namespace trainyard
