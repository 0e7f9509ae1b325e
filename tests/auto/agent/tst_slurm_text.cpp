// Before Qt, whose macro "slots" would cut a field of that name.
#include "remote/agent/slurm/batch_request.h"
#include "remote/agent/slurm/job_end.h"
#include "remote/agent/slurm/job_facts.h"
#include "remote/agent/slurm/partition.h"
#include "remote/agent/slurm/slurm_job.h"
#include "remote/agent/slurm/termination.h"
#include "remote/agent/supervise/allocation_launcher.h"
#include "remote/agent/supervise/launcher_log.h"

#include <QTest>

using namespace trainyard;
using namespace trainyard::agent;
using namespace std::chrono_literals;

namespace {

// What Slurm 22.05 prints, shortened to what lies around the fields that are read.
const std::string kWaiting =
    "JobId=11 JobName=trainyard-r.1 UserId=root(0) GroupId=root(0) MCS_label=N/A Priority=4294901742 Nice=0 "
    "Account=(null) QOS=(null) JobState=PENDING Reason=BeginTime Dependency=(null) Requeue=1 Restarts=1 "
    "BatchFlag=1 "
    "Reboot=0 ExitCode=0:0 RunTime=00:00:00 TimeLimit=01:00:00 TimeMin=N/A SubmitTime=2026-11-22T04:28:17 "
    "EligibleTime=2026-11-22T04:30:18 AccrueTime=Unknown StartTime=2026-11-22T04:30:18 "
    "EndTime=2026-11-22T05:30:18 "
    "Deadline=N/A Partition=main NodeList= BatchHost=node2 NumNodes=2-2 ReqB:S:C:T=0:0:*:* "
    "Command=/root/slurm.sh WorkDir=/home/a b/.trainyard/runs/r StdErr=/home/a b/1.log StdIn=/dev/null \n";

std::string job(const std::string& state, const std::string& more = {})
{
    return "JobId=7 JobName=x JobState=" + state + " " + more + "\n";
}

JobFacts facts(const std::string& state, int status = 0, int signal = 0)
{
    JobFacts facts;
    facts.id = "17";
    facts.state = state;
    facts.batchHost = "node2";
    facts.exitStatus = status;
    facts.exitSignal = signal;
    return facts;
}

RunSpec slurmSpec()
{
    RunSpec spec;
    spec.launch.launcher = LauncherKind::Slurm;
    spec.launch.device = DeviceKind::Cpu;
    spec.launch.threadsPerRank = 3;
    spec.cluster.nodes.assign(2, {"login", 4, 0});
    return spec;
}

QString joined(const std::vector<std::string>& words)
{
    QStringList list;
    for (const std::string& word : words)
        list << QString::fromStdString(word);
    return list.join(' ');
}

} // namespace

/// What Slurm prints and what it is asked, without a Slurm.
class TestSlurmText : public QObject {
    Q_OBJECT

private slots:
    void readsAJob()
    {
        const auto job = parseJob(kWaiting);
        QVERIFY(job.has_value());
        QCOMPARE(job->id, std::string("11"));
        QCOMPARE(job->state, std::string("PENDING"));
        QCOMPARE(job->reason, std::string("BeginTime"));
        QCOMPARE(job->start, std::string("2026-11-22T04:30:18"));
        QCOMPARE(job->end, std::string("2026-11-22T05:30:18"));
        QCOMPARE(job->batchHost, std::string("node2"));
        QCOMPARE(job->nodes, std::string());
        QCOMPARE(job->folder, std::string("/home/a b/.trainyard/runs/r"));
        QCOMPARE(parseJob(::job("RUNNING", "ReqNodeList=(null) NodeList=node[2-3]"))->nodes,
                 std::string("node[2-3]"));
        QCOMPARE(job->restarts, 1);
        QVERIFY(phaseOf(*job) == JobPhase::Waiting);
    }
    void readsExitCodes()
    {
        const auto ended = parseJob(job("FAILED", "ExitCode=3:53"));
        QCOMPARE(ended->exitStatus, 3);
        QCOMPARE(ended->exitSignal, 53);
    }
    void takesNothingForAJobThatIsNone_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("nothing") << "";
        QTest::newRow("error") << "slurm_load_jobs error: Invalid job id specified\n";
        QTest::newRow("no state") << "JobId=7 JobName=x\n";
        QTest::newRow("id is no number") << "JobId=7_1 JobState=RUNNING\n";
        QTest::newRow("cut in the name of a field") << "JobId=7 JobSta";
        QTest::newRow("key inside a value") << "JobId=7 Comment=JobState=RUNNING\n";
        QTest::newRow("zeros") << QString(QChar(0)).repeated(100);
        QTest::newRow("huge") << QString("JobId=").repeated(100'000);
    }
    void takesNothingForAJobThatIsNone()
    {
        QFETCH(QString, text);
        QVERIFY(!parseJob(text.toStdString()));
    }
    void survivesOddValues()
    {
        const auto odd =
            parseJob(job("RUNNING", "Restarts=-5 ExitCode=999999999999:x StartTime=Unknown Reason=None"));
        QVERIFY(odd.has_value());
        QCOMPARE(odd->restarts, 0);
        QCOMPARE(odd->exitStatus, 0);
        QCOMPARE(odd->start, std::string());
        QCOMPARE(odd->reason, std::string());
    }
    void knowsPhases_data()
    {
        QTest::addColumn<QString>("state");
        QTest::addColumn<int>("phase");
        for (const char* state : {"PENDING", "REQUEUED", "REQUEUE_HOLD", "SPECIAL_EXIT"})
            QTest::newRow(state) << state << int(JobPhase::Waiting);
        for (const char* state :
             {"CONFIGURING", "RUNNING", "COMPLETING", "SUSPENDED", "STAGE_OUT", "UNHEARD_OF"})
            QTest::newRow(state) << state << int(JobPhase::AtWork);
        for (const char* state : {"COMPLETED", "CANCELLED", "NODE_FAIL", "TIMEOUT", "PREEMPTED",
                                  "OUT_OF_MEMORY", "BOOT_FAIL", "FAILED", "DEADLINE"})
            QTest::newRow(state) << state << int(JobPhase::Ended);
    }
    void knowsPhases()
    {
        QFETCH(QString, state);
        QFETCH(int, phase);
        QCOMPARE(int(phaseOf(facts(state.toStdString()))), phase);
    }
    void saysWhyAJobWaits()
    {
        QCOMPARE(queueText(*parseJob(kWaiting)),
                 std::string("queued as Slurm job 11: BeginTime (waiting for its begin time, as after a "
                             "requeue), expected to start at 2026-11-22 04:30:18"));
        QCOMPARE(queueText(*parseJob(job("PENDING", "Reason=Whatever_new"))),
                 std::string("queued as Slurm job 7: Whatever_new"));
        QCOMPARE(queueText(*parseJob(job("PENDING", "Reason=None"))), std::string("queued as Slurm job 7"));
    }
    void saysHowAHeldJobIsReleased_data()
    {
        QTest::addColumn<QString>("reason");
        QTest::addColumn<QString>("words");
        QTest::newRow("by its user") << "JobHeldUser"
                                     << ": JobHeldUser (held by its user)";
        QTest::newRow("launch failed")
            << "launch_failed_requeued_held"
            << ": launch_failed_requeued_held (Slurm could not start it on its nodes)";
        QTest::newRow("for no reason") << "None"
                                       << "";
    }
    void saysHowAHeldJobIsReleased()
    {
        QFETCH(QString, reason);
        QFETCH(QString, words);
        const auto held = parseJob(
            job("PENDING", "Priority=0 StartTime=2026-11-22T04:30:18 Reason=" + reason.toStdString()));
        QVERIFY(held->isHeld);
        QCOMPARE(queueText(*held), "held by Slurm as job 7" + words.toStdString() +
                                       "; release it with `scontrol release 7`, or stop the run");
    }
    void holdsOnlyWhatWaits()
    {
        QVERIFY(!parseJob(job("RUNNING", "Priority=0"))->isHeld);
        QVERIFY(!parseJob(job("PENDING", "Priority=4294901758"))->isHeld);
        QVERIFY(!parseJob(job("PENDING", "Reason=Resources"))->isHeld);
    }
    void findsTheIdOfASubmission_data()
    {
        QTest::addColumn<QString>("output");
        QTest::addColumn<QString>("id");
        QTest::newRow("id") << "17\n"
                            << "17";
        QTest::newRow("of a cluster") << "17;lab\n"
                                      << "17";
        QTest::newRow("behind a warning") << "sbatch: warning: can't honor 5 tasks\n17\n"
                                          << "17";
        QTest::newRow("words") << "Submitted batch job 17\n"
                               << "";
        QTest::newRow("array task") << "17_4\n"
                                    << "";
        QTest::newRow("endless") << QString(100, '1') << "";
        QTest::newRow("nothing") << ""
                                 << "";
    }
    void findsTheIdOfASubmission()
    {
        QFETCH(QString, output);
        QFETCH(QString, id);
        QCOMPARE(QString::fromStdString(parseSubmission(output.toStdString())), id);
    }
    void findsWhatAnErrorSays()
    {
        QCOMPARE(errorOf("sbatch: error: invalid partition specified: foo\n"
                         "sbatch: error: Batch job submission failed: Invalid partition name specified\n"),
                 std::string("Invalid partition name specified"));
        QCOMPARE(errorOf("allocation failure: Invalid feature specification\n"),
                 std::string("Invalid feature specification"));
        QCOMPARE(errorOf("something else\nmore"), std::string("something else"));
        QCOMPARE(errorOf("error: " + std::string(10'000, 'x')).size(), std::size_t(500));
    }

    void readsTimeLimits_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("minutes");
        QTest::newRow("minutes") << "90" << 90;
        QTest::newRow("minutes and seconds") << "90:30" << 91;
        QTest::newRow("hours") << "01:30:00" << 90;
        QTest::newRow("days") << "2-00:00:00" << 2 * 24 * 60;
        QTest::newRow("days and hours") << "1-06" << 30 * 60;
        QTest::newRow("days, hours and minutes") << "1-06:15" << 30 * 60 + 15;
        for (const char* none : {"UNLIMITED", "", "INFINITE", "1:2:3:4", "-5", "1-", "x-1", "1::2"})
            QTest::newRow(none) << none << -1;
    }
    void readsTimeLimits()
    {
        QFETCH(QString, text);
        QFETCH(int, minutes);
        const auto limit = parseTimeLimit(text.toStdString());
        QCOMPARE(limit ? int(limit->count()) : -1, minutes);
    }
    void readsPartitions()
    {
        const auto partitions = parsePartitions(
            "PartitionName=main Default=YES MaxNodes=UNLIMITED MaxTime=01:00:00 State=UP TotalNodes=2\n"
            "nonsense\n"
            "PartitionName=big Default=NO MaxNodes=3 MaxTime=UNLIMITED State=DOWN TotalNodes=8");
        QCOMPARE(partitions.size(), std::size_t(2));
        QVERIFY(partitions[0].isDefault && partitions[0].isUp);
        QCOMPARE(partitions[0].nodes, 2);
        QVERIFY(!partitions[0].mostNodes);
        QCOMPARE(*partitions[0].mostTime, std::chrono::minutes(60));
        QCOMPARE(*partitions[1].mostNodes, 3);
        QVERIFY(!partitions[1].mostTime && !partitions[1].isUp);
    }
    void countsGpus_data()
    {
        QTest::addColumn<QString>("gres");
        QTest::addColumn<int>("gpus");
        QTest::newRow("none") << "(null)" << 0;
        QTest::newRow("plain") << "gpu:4" << 4;
        QTest::newRow("one") << "gpu" << 1;
        QTest::newRow("type") << "gpu:a100:8(S:0-1)" << 8;
        QTest::newRow("a type alone") << "gpu:a100" << 1;
        QTest::newRow("two types among others") << "nic:mlx:2,gpu:a100:2(S:0,1),gpu:h100:3,shard:9" << 5;
    }
    void countsGpus()
    {
        QFETCH(QString, gres);
        QTEST(gpusIn(gres.toStdString()), "gpus");
    }
    void asksForGpusWhereThereAreEnough()
    {
        std::vector<Partition> partitions{{"main", true, true, 3, {}, {}}, {"gpu", false, true, 2, {}, {}}};
        addGpus("main (null)\nmain gpu:2\ngpu gpu:a100:4(S:0-1)\ngpu gpu:a100:4(S:0-1)\n", partitions);
        QCOMPARE(partitions[0].gpus, (std::vector<int>{2}));
        QCOMPARE(partitions[1].gpus, (std::vector<int>{4, 4}));
        RunSpec spec = slurmSpec(); // two nodes with four slots each
        spec.launch.device = DeviceKind::Auto;
        QVERIFY(!requestsGpus(partitions, spec));
        spec.launch.slurm.partition = "gpu";
        QVERIFY(requestsGpus(partitions, spec));
        spec.launch.device = DeviceKind::Cpu;
        QVERIFY(!requestsGpus(partitions, spec));
        spec.launch.device = DeviceKind::Auto;
        partitions[1].gpus = {4, 2};
        QVERIFY(!requestsGpus(partitions, spec)); // one node has too few
        spec.launch.device = DeviceKind::Cuda;
        QVERIFY(requestsGpus(partitions, spec)); // and it is refused
        QVERIFY(refusal(partitions, spec)
                    .contains("4 GPUs on each of 2 nodes, and Slurm's partition gpu has 1 node"));
    }
    void refusesWhatWouldWaitForEver()
    {
        const std::vector<Partition> partitions{{"main", true, true, 2, {}, std::chrono::minutes(60)},
                                                {"small", false, true, 8, 1, {}},
                                                {"closed", false, false, 8, {}, {}}};
        RunSpec spec = slurmSpec();
        QVERIFY(checkPartitions(partitions, spec).ok());
        spec.launch.slurm.timeLimit = 61min;
        QVERIFY(refusal(partitions, spec).contains("main allows at most 1 h"));
        spec.launch.slurm.timeLimit = 0ms;
        spec.launch.slurm.partition = "small";
        QVERIFY(refusal(partitions, spec)
                    .contains("requests 2 nodes, but Slurm's partition small allows at most 1"));
        spec.launch.slurm.partition = "small,main"; // one of them will do
        QVERIFY(checkPartitions(partitions, spec).ok());
        spec.launch.slurm.partition = "closed";
        QVERIFY(refusal(partitions, spec).contains("is down"));
        spec.launch.slurm.partition = "smal";
        QVERIFY(refusal(partitions, spec).contains("no partition smal"));
        QVERIFY(refusal(partitions, spec).contains("main, small, closed"));
    }

    void asksForWhatTheSpecificationSays()
    {
        RunSpec spec = slurmSpec();
        spec.launch.device = DeviceKind::Cuda;
        spec.launch.slurm = {"gpu,main", "lab", "high", "a100&nvlink", 90min, false, 150s};
        const QString line =
            joined(sbatchCommand(RunFolder("/home/me/.trainyard/runs/r"), 3, spec, "/s.sh", "/agent", true));
        for (const char* option :
             {"sbatch --parsable --job-name=trainyard-r.3 ", " --nodes=2 ", " --ntasks-per-node=4 ",
              " --cpus-per-task=3 ", " --no-requeue ", " --signal=B:TERM@150 ", " --time=90 ",
              " --gres=gpu:4 ", " --partition=gpu,main ", " --account=lab ", " --qos=high ",
              " --constraint=a100&nvlink ", " --open-mode=append ", " --chdir=/home/me/.trainyard/runs/r "})
            QVERIFY2(line.contains(option), option);
        QVERIFY(line.endsWith(
            " /s.sh /agent supervise --in-job --run-dir /home/me/.trainyard/runs/r --attempt 3"));
    }
    void leavesTheRestToTheCluster()
    {
        RunSpec spec = slurmSpec();
        spec.launch.slurm.warning = 0ms;
        const QString line = joined(sbatchCommand(RunFolder("/r"), 1, spec, "/s.sh", "/agent", false));
        QVERIFY(line.contains(" --requeue "));
        for (const char* option :
             {"--time", "--gres", "--partition", "--account", "--qos", "--constraint", "--signal"})
            QVERIFY2(!line.contains(option), option);
    }
    void keepsNamesOfFilesLiteral()
    {
        // Slurm would put the job's id in place of %j.
        const QString line =
            joined(sbatchCommand(RunFolder("/100%j/r"), 1, slurmSpec(), "/s.sh", "/agent", false));
        QVERIFY(line.contains(" --output=/100%%j/r/attempts/0001.slurm.log "));
        QVERIFY(line.contains(" --chdir=/100%j/r "));
    }
    void startsRanksThroughMpirunOrSrun()
    {
        LaunchRequest request;
        request.nodes = {{"node2", 2, 0, {}}, {"node3", 2, 0, {}}};
        request.allocation = Allocation{"17", "mpirun"};
        const std::map<std::string, std::string> variables{{"OMP_NUM_THREADS", "3"}};
        const QString mpirun =
            joined(allocationLauncher(request, {4, 3, true}, true, "TRAINYARD_RUN=r", variables));
        QVERIFY(mpirun.startsWith("mpirun --allow-run-as-root -np 4 --use-hwthread-cpus --map-by slot:PE=3 "
                                  "--bind-to hwthread --mca "));
        QVERIFY(joined(allocationLauncher(request, {4, 3, false}, false, "TRAINYARD_RUN=r", variables))
                    .startsWith("mpirun -np 4 --bind-to none --mca "));
        QVERIFY(mpirun.contains(" -x TRAINYARD_RUN -x OMP_NUM_THREADS=3"));
        request.allocation->starter = "pmix";
        QCOMPARE(joined(allocationLauncher(request, {4, 3, true}, false, "TRAINYARD_RUN=r", variables)),
                 QString("srun --mpi=pmix --nodes=2 --ntasks=4 --cpus-per-task=3 --distribution=block "
                         "--kill-on-bad-exit=1 --overlap env TRAINYARD_RUN=r OMP_NUM_THREADS=3"));
    }

    void saysHowAJobEnded_data()
    {
        QTest::addColumn<QString>("state");
        QTest::addColumn<RunState>("runState");
        QTest::addColumn<QString>("words");
        QTest::newRow("scancel") << "CANCELLED" << RunState::Stopped << "was cancelled in Slurm";
        QTest::newRow("preempted") << "PREEMPTED" << RunState::Stopped << "was preempted";
        QTest::newRow("time limit") << "TIMEOUT" << RunState::Stopped
                                    << "time limit before it could save a checkpoint";
        QTest::newRow("node") << "NODE_FAIL" << RunState::Failed << "lost a node";
        QTest::newRow("memory") << "OUT_OF_MEMORY" << RunState::Failed << "more memory";
        QTest::newRow("boot") << "BOOT_FAIL" << RunState::Failed << "failed to boot";
        QTest::newRow("silence") << "COMPLETED" << RunState::Failed << "without a report from its supervisor";
    }
    void saysHowAJobEnded()
    {
        QFETCH(QString, state);
        QFETCH(RunState, runState);
        QFETCH(QString, words);
        const JobEnding end = endingOf("17", facts(state.toStdString()), false, {}, "/out");
        QCOMPARE(end.state, runState);
        QVERIFY2(end.reason.starts_with("Slurm job 17 "), end.reason.c_str());
        QVERIFY2(QString::fromStdString(end.reason).contains(words), end.reason.c_str());
        QCOMPARE(endingOf("17", facts(state.toStdString()), true, {}, "/out").state, RunState::Stopped);
    }
    void explainsAFailedBatchStep()
    {
        QCOMPARE(endingOf("17", facts("FAILED", 4), false, "no such thing", "/out").reason,
                 std::string("Slurm job 17 on node2: no such thing"));
        QCOMPARE(endingOf("17", facts("FAILED", 4), false, {}, "/out").reason,
                 std::string("Slurm job 17 ended with status 4 on node2"));
        QVERIFY(
            endingOf("17", facts("FAILED", 0, 53), false, {}, "/out")
                .reason.find("could not open /out on node2: the agent's folder must be on a file system") !=
            std::string::npos);
        QVERIFY(endingOf("17", {}, false, {}, "/out").reason.ends_with("Slurm no longer knows how"));
    }

    void tellsTheTimeLimitFromOtherEnds()
    {
        QCOMPARE(terminationCause(facts("RUNNING"), 120s, 100s), std::string("time limit of Slurm job 17"));
        QCOMPARE(terminationCause(facts("SIGNALING"), 120s, 100s), std::string("time limit of Slurm job 17"));
        QCOMPARE(terminationCause(facts("RUNNING"), 120s, 1h), std::string("stopped by request"));
        QVERIFY(terminationCause(facts("COMPLETING"), 120s, 1h).find("cancelled, preempted or requeued") !=
                std::string::npos);
    }
    void countsToATimeOfSlurms()
    {
        std::tm noon{};
        noon.tm_year = 126;
        noon.tm_mon = 10;
        noon.tm_mday = 22;
        noon.tm_hour = 12;
        noon.tm_isdst = -1;
        const std::time_t now = std::mktime(&noon);
        QCOMPARE(timeUntil("2026-11-22T12:01:30", now).count(), 90);
        QCOMPARE(timeUntil("Unknown", now), std::chrono::seconds(24h));
    }
    void findsTheRankThatSrunNames_data()
    {
        QTest::addColumn<QString>("log");
        QTest::addColumn<int>("rank");
        QTest::addColumn<int>("status");
        QTest::addColumn<int>("signal");
        QTest::newRow("exit") << "srun: error: node3: task 1: Exited with exit code 7\n"
                                 "srun: error: node2: task 0: Terminated\n"
                              << 1 << 7 << 0;
        QTest::newRow("killed") << "srun: error: node3: task 3: Killed\n" << 3 << 0 << 9;
        QTest::newRow("crashed") << "srun: error: node3: task 2: Segmentation fault (core dumped)\n"
                                 << 2 << 0 << 11;
        QTest::newRow("several") << "srun: error: node3: tasks 4-7: Exited with exit code 5\n" << 4 << 5 << 0;
    }
    void findsTheRankThatSrunNames()
    {
        QFETCH(QString, log);
        QFETCH(int, rank);
        QFETCH(int, status);
        QFETCH(int, signal);
        const auto exit = firstRankExit(log.toStdString());
        QVERIFY(exit.has_value());
        QCOMPARE(exit->rank, rank);
        QCOMPARE(exit->status, status);
        QCOMPARE(exit->signal, signal);
        QVERIFY(exit->node.starts_with("node"));
    }

private:
    static QString refusal(const std::vector<Partition>& partitions, const RunSpec& spec)
    {
        const Status status = checkPartitions(partitions, spec);
        return status.ok() ? QString() : QString::fromStdString(status.error().text());
    }
};

QTEST_APPLESS_MAIN(TestSlurmText)
#include "tst_slurm_text.moc"
