// libtrainyard_start.so: loaded before every program that the loader of a bundle starts (run_program.h),
// MPI's included. It needs the C library alone.

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace {

char* valueOr(const char* name, const char* otherwise)
{
    char* value = std::getenv(name);
    return value && *value ? value : const_cast<char*>(otherwise); // as passwd wants it; nobody writes there
}

/// The kernel names the process after the file that was started, the loader; ps and top show this name.
[[gnu::constructor]] void nameProcess(int, char** arguments)
{
    const char* slash = std::strrchr(arguments[0], '/');
    ::prctl(PR_SET_NAME, slash ? slash + 1 : arguments[0]);
}

} // namespace

/// Users that are in no file but with LDAP or SSSD, or known to nobody (a container), are found by a plug-in
/// of the host's C library, which ours must not load, and mpirun starts nothing for a user whom it does not
/// find: so this user is who sshd said. mpirun asks for the shell, to write its command for a host in that
/// shell's words; ours is the same in all of them (job_command.cpp), as mpirun leaves it for bash, but not
/// for sh or a shell that it does not know.
extern "C" [[gnu::visibility("default")]] passwd* getpwuid(uid_t user)
{
    using Lookup = passwd* (*)(uid_t);
    static const auto inFiles = reinterpret_cast<Lookup>(::dlsym(RTLD_NEXT, "getpwuid"));
    passwd* const found = inFiles ? inFiles(user) : nullptr;
    if (user != ::getuid())
        return found;
    static passwd self;
    static char none[] = "", shell[] = "/bin/bash";
    self = found ? *found
                 : passwd{valueOr("USER", "user"), none, user, ::getgid(), none, valueOr("HOME", "/"), none};
    self.pw_shell = shell;
    return &self;
}
