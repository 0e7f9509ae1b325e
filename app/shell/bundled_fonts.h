#pragma once

namespace trainyard {

/// Where the machine has no fonts configured, as on a plain server, those that came along with the program
/// are used, for the window and for the pages of reports. Before QApplication, which reads the configuration.
void useBundledFontsWhereNoneAre();

} // namespace trainyard
