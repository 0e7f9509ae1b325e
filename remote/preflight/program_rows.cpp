#include "remote/preflight/host_rows.h"

namespace trainyard::preflight {

namespace {

CheckRow mpiRow(const HostFacts& facts, const EngineNeeds& engine)
{
    // This machine runs installed programs, not the bundle.
    if (engine.usesRuntime && !facts.isThisMachine())
        return row("MPI", facts.mpi.isEmpty() ? QString("the engine brings its own")
                                              : "the engine brings its own; here OpenMPI " + facts.mpi);
    if (facts.raw.value("mpi").toObject().isEmpty())
        return row("MPI", "no mpirun", Verdict::Fail,
                   "install OpenMPI (Debian: openmpi-bin) or load its module in the shell start-up file");
    if (facts.mpi.isEmpty())
        return row("MPI", facts.raw.value("mpi").toObject().value("path").toString() + " is not from OpenMPI",
                   Verdict::Fail, "put OpenMPI's folder before the others in PATH");
    return row("MPI", "OpenMPI " + facts.mpi);
}

/// A logout ends what the session started, unless it runs under the user's own service manager, which lives
/// on only for users who linger.
CheckRow logoutRow(const HostFacts& facts)
{
    const QJsonObject logind = facts.raw.value("logind").toObject();
    if (!logind.value("kill_user_processes").toBool())
        return row("after logout", "processes keep running");
    if (!logind.value("scope").toBool(true))
        return row("after logout", "processes are killed, and there is no systemd-run", Verdict::Fail,
                   "set KillUserProcesses=no in /etc/systemd/logind.conf on the host");
    if (!logind.value("linger").toBool())
        return row("after logout", "processes are killed (KillUserProcesses)", Verdict::Fail,
                   "run `loginctl enable-linger` on the host, once");
    return row("after logout", "runs continue in a separate scope; other processes are killed");
}

} // namespace

QList<CheckRow> programRows(const HostFacts& facts, const EngineNeeds& engine)
{
    return {mpiRow(facts, engine), row("Slurm", facts.slurm.isEmpty() ? "none" : facts.slurm),
            logoutRow(facts)};
}

} // namespace trainyard::preflight
