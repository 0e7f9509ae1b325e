#pragma once

namespace trainyard {

/// Runs `trainyard <command> ...` and returns the documented exit status. Needs no display. Pass argv of
/// main(); call it before creating a Qt application object.
int runCli(int argc, char** argv);

} // namespace trainyard
