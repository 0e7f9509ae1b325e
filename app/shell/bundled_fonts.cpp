#include "app/shell/bundled_fonts.h"

#include <filesystem>

#include <QByteArray>

namespace trainyard {

namespace fs = std::filesystem;

void useBundledFontsWhereNoneAre()
{
    if (qEnvironmentVariableIsSet("FONTCONFIG_FILE") || qEnvironmentVariableIsSet("FONTCONFIG_PATH"))
        return;
    std::error_code error;
    if (fs::exists("/etc/fonts/fonts.conf", error))
        return;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    const fs::path bundled = program.parent_path().parent_path() / "fonts" / "fonts.conf";
    if (fs::exists(bundled, error))
        qputenv("FONTCONFIG_FILE", QByteArray(bundled.c_str()));
}

} // namespace trainyard
