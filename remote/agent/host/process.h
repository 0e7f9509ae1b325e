#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "engine/base/result.h"

namespace trainyard::agent {

/// "NAME=value" each; the whole environment of a process.
using Environment = std::vector<std::string>;

/// Our own environment reduced to the named variables.
Environment keptEnvironment(const std::vector<std::string_view>& names);
/// Our own environment without the named variable; the whole of it for an empty name.
Environment environmentWithout(std::string_view name);

/// A program to start. No shell is involved anywhere.
struct ProcessSpec {
    std::vector<std::string> arguments; ///< [0] is looked up in PATH unless it holds a '/'
    Environment environment;
    std::filesystem::path folder; ///< to start in; empty = ours
    int output = -1;              ///< file descriptor for stdout and stderr; -1 = /dev/null
    bool endsWithParent = false;  ///< gets SIGTERM when the thread that started it dies
    int input = -1;               ///< file descriptor for stdin; -1 = /dev/null
    bool dropsErrors = false;     ///< stderr goes to /dev/null, whatever `output` is
};

/// Starts the program as leader of a process group of its own, with no other file of ours than `spec` names.
/// Failed, naming the program, when it cannot be executed.
Result<pid_t> startProcess(const ProcessSpec& spec);

struct CommandOutput {
    int status = 0;   ///< exit status; 128 + signal when it was killed
    std::string text; ///< of stdout and, unless it was left out, stderr; at most 256 KiB
};

/// Runs a program to its end and collects what it prints. Failed when it cannot be started or is not done in
/// time; it is killed then, with its group. Any thread.
Result<CommandOutput> runCommand(const std::vector<std::string>& arguments, std::chrono::milliseconds timeout,
                                 Environment environment = environmentWithout("TRAINYARD_RUN"));
/// As runCommand(), for a program whose output is data: what it says on stderr is left out.
Result<CommandOutput> readCommand(const std::vector<std::string>& arguments,
                                  std::chrono::milliseconds timeout);

/// Kills a process that startProcess() started, with its group, and waits a second at most for its end: one
/// that is stuck in the kernel (a driver that hangs) must not take us with it.
void killGroup(pid_t leader);

/// Exit status as a shell counts it: 128 + signal for what was killed.
int shellStatus(int waitStatus);

/// "/usr/bin/mpirun", or empty when PATH does not have it.
std::string findProgram(const std::string& name);

} // namespace trainyard::agent
