#include "remote/agent/programs/run_program.h"

#include <cerrno>
#include <unistd.h>

#include "engine/base/standard_streams.h"
#include "remote/agent/host/machine.h"
#include "remote/agent/programs/driver_libraries.h"
#include "remote/agent/programs/engine_runtime.h"

namespace trainyard::agent {

namespace {

constexpr int kNotFound = 127;

std::vector<char*> pointersTo(std::vector<std::string>& texts)
{
    std::vector<char*> pointers;
    for (std::string& text : texts)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

Error become(const std::vector<std::string>& command)
{
    const auto bundle = ownProgram().parent_path().parent_path();
    const auto runtime = EngineRuntime::in(bundle);
    if (!runtime)
        return refused("there is no loader in " + (bundle / "system").string(), "deploy the bundle again");
    const std::string& name = command.front();
    if (name.find('/') != std::string::npos || runtime->program(name).empty())
        return refused("the bundle " + bundle.string() + " has no program " + name, "deploy it again");
    auto arguments = runtime->command(name, runtime->libraryPath(linkDriverLibraries(bundle)),
                                      {command.begin() + 1, command.end()});
    auto environment = runtime->environment(environmentWithout({}));
    ::execve(runtime->loader.c_str(), pointersTo(arguments).data(), pointersTo(environment).data());
    return systemError(ErrorKind::Failed, "cannot start " + runtime->loader.string(), errno);
}

} // namespace

int runEngineProgram(const std::vector<std::string>& command)
{
    const Error error = command.empty() ? badInput("exec: name a program") : become(command);
    printError("trainyard-agent exec", error);
    return kNotFound;
}

} // namespace trainyard::agent
