#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "engine/base/file.h"
#include "engine/base/result.h"

namespace trainyard {

/// "NAME=value" each; the whole environment of a process.
using Environment = std::vector<std::string>;

/// Returns our own environment reduced to the named variables.
Environment keptEnvironment(const std::vector<std::string_view>& names);
/// Returns our own environment without the named variable; all of it for an empty name.
Environment environmentWithout(std::string_view name);

/// A program to start. No shell is involved anywhere.
struct ProcessSpec {
    std::vector<std::string> arguments; ///< [0] is looked up in PATH unless it holds a '/'
    Environment environment;
    std::filesystem::path folder; ///< to start in; empty = ours
    int output = -1;              ///< file descriptor for stdout; -1 = /dev/null
    bool endsWithParent = false;  ///< gets SIGTERM when the thread that started it dies
    int input = -1;               ///< file descriptor for stdin; -1 = /dev/null
    bool newSession = false;      ///< without a terminal to ask on
    std::optional<int> errors{};  ///< file descriptor for stderr, unless it is that of stdout; -1 = /dev/null
};

/// Starts the program as leader of a new process group; it inherits only the files that `spec` names. Failed,
/// naming the program, when it cannot be executed.
Result<pid_t> startProcess(const ProcessSpec& spec);

/// A pipe whose ends are closed on exec. `flags` as for pipe2().
struct Pipe {
    FileDescriptor read;
    FileDescriptor write;
};
Result<Pipe> makePipe(int flags = 0);

struct CommandOutput {
    int status = 0;   ///< exit status; 128 + signal when it was killed
    std::string text; ///< of stdout and, unless it was left out, stderr; at most 256 KiB
};

/// Runs a program to its end and collects its output. Failed when it cannot be started or exceeds the
/// timeout, which kills it with its group. Any thread.
Result<CommandOutput> runCommand(const std::vector<std::string>& arguments, std::chrono::milliseconds timeout,
                                 Environment environment = environmentWithout("TRAINYARD_RUN"));
/// As runCommand(), for a program whose output is data: drops its stderr.
Result<CommandOutput> readCommand(const std::vector<std::string>& arguments,
                                  std::chrono::milliseconds timeout);

/// Kills a process started by startProcess() with its group, and waits at most a second for its end: a
/// process stuck in the kernel (a hanging driver) must not block us.
void killGroup(pid_t leader);

/// Returns the exit status as a shell counts it: 128 + signal for a killed process.
int shellStatus(int waitStatus);

/// Returns the full path, such as "/usr/bin/mpirun", or an empty text when PATH does not have the program.
std::string programInPath(const std::string& name);

} // namespace trainyard
