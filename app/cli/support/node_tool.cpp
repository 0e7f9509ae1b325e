#include "app/cli/support/node_tool.h"

#include <cerrno>
#include <unistd.h>

#include <QCoreApplication>

#include "app/cli/support/console.h"

namespace trainyard {

namespace {

std::string toolFolder()
{
    const QByteArray configured = qgetenv("TRAINYARD_BIN");
    return configured.isEmpty() ? QCoreApplication::applicationDirPath().toStdString()
                                : configured.toStdString();
}

} // namespace

int becomeNodeTool(const std::string& program, const std::vector<std::string>& arguments)
{
    const std::string path = toolFolder() + "/" + program;
    std::string name = "trainyard"; // what the user called; the program speaks under this name
    std::vector<char*> argv{name.data()};
    for (const std::string& argument : arguments)
        argv.push_back(const_cast<char*>(argument.c_str())); // execv never writes to them
    argv.push_back(nullptr);
    ::execv(path.c_str(), argv.data());
    Error error = systemError(ErrorKind::BadInput, "cannot start " + path, errno);
    error.hint = "this Trainyard was built without the node programs: build it with the preset release, or "
                 "set TRAINYARD_BIN to a folder that has them";
    return console::fail(error);
}

} // namespace trainyard
