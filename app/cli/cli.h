#pragma once

namespace trainyard {

/// The command line: `trainyard <command> ...`. Needs no display. Gives the documented exit status.
/// argv as main() got it; call it before any Qt application object exists.
int runCli(int argc, char** argv);

} // namespace trainyard
