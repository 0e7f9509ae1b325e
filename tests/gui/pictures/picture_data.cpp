#include "tests/gui/pictures/picture_data.h"

#include "engine/spec/phases/phase_edits.h"
#include "engine/spec/phases/phases.h"
#include "engine/spec/presets.h"

namespace trainyard::pictures {

namespace {

HostFacts facts(const QString& name, int devices, const QString& device, Bytes deviceMemory, Bytes available)
{
    HostFacts facts;
    facts.host = facts.hostName = name;
    facts.os = QStringLiteral("Debian GNU/Linux 12");
    facts.architecture = QStringLiteral("x86_64");
    facts.cores = 96;
    facts.memoryBytes = static_cast<qint64>(available + 40 * kGiB);
    for (int i = 0; i < devices; ++i)
        facts.devices.append(DeviceFacts{device, static_cast<qint64>(deviceMemory)});
    facts.raw = {{"memory", QJsonObject{{"available", static_cast<double>(available)}}}};
    return facts;
}

QList<CheckRow> goodRows(const QString& devices)
{
    return {{"connection", "answers in 0.40 ms, upload 112 MB/s", Verdict::Ok, {}},
            {"host key", "known and unchanged", Verdict::Ok, {}},
            {"login shell", "/bin/bash", Verdict::Ok, {}},
            {"agent", "version 0.1.0 in /home/ada/.trainyard", Verdict::Ok, {}},
            {"clock", "+3 ms ± 1 ms relative to this computer", Verdict::Ok, {}},
            {"system", "Debian GNU/Linux 12, x86_64, glibc 2.36", Verdict::Ok, {}},
            {"engine", "3f9c2b71 is there", Verdict::Ok, {}},
            {"libraries", "all 9 required by the engine", Verdict::Ok, {}},
            {"processor", "AMD EPYC 9654, 96 cores, avx512f, avx2, avx512_bf16", Verdict::Ok, {}},
            {"memory", "503 GiB, 463 GiB available", Verdict::Ok, {}},
            {"devices", devices, Verdict::Ok, {}},
            {"driver", "580.65.06, compute capability 8.0", Verdict::Ok, {}},
            {"device state", "free, no memory errors", Verdict::Ok, {}},
            {"disk", "1.73 TiB free at /home/ada/.trainyard", Verdict::Ok, {}},
            {"inodes", "58720256 free at /home/ada/.trainyard", Verdict::Ok, {}},
            {"home", "/home/ada, ext4", Verdict::Ok, {}},
            {"shared memory", "251 GiB, 251 GiB free", Verdict::Ok, {}},
            {"open files", "1048576", Verdict::Ok, {}},
            {"processes", "2062607", Verdict::Ok, {}},
            {"MPI", "OpenMPI 4.1.4", Verdict::Ok, {}},
            {"Slurm", "none", Verdict::Ok, {}},
            {"after logout", "processes keep running", Verdict::Ok, {}}};
}

/// Says something else in the row of that name.
void change(QList<CheckRow>& rows, const CheckRow& changed)
{
    for (CheckRow& row : rows) {
        if (row.check == changed.check)
            row = changed;
    }
}

HostEntry host(const QString& name, const QString& address, const HostFacts& what, QList<CheckRow> rows)
{
    HostEntry entry;
    entry.name = name;
    entry.address = address;
    entry.report = HostReport{name, std::move(rows), what, {}};
    switch (entry.report->worst()) {
    case Verdict::Ok:
        entry.state = HostState::Ready;
        break;
    case Verdict::Warn:
        entry.state = HostState::Warnings;
        break;
    case Verdict::Fail:
        entry.state = HostState::Blocked;
        break;
    }
    entry.engine = QStringLiteral("0.1.0");
    return entry;
}

HostEntry hostWithTrouble()
{
    auto rows = goodRows(QStringLiteral("8 × NVIDIA H200, 141 GiB"));
    change(rows, {"disk", "4.21 GiB free at /home/ada/.trainyard", Verdict::Warn,
                  "the engine takes half a GiB, checkpoints of larger models more: set TRAINYARD_HOME on the "
                  "host to a folder with enough space"});
    change(rows, {"MPI", "no mpirun", Verdict::Fail,
                  "install OpenMPI (Debian: openmpi-bin) or load its module in the shell start-up file"});
    change(rows,
           {"libraries", "libc.so.6 lacks GLIBC_2.34; libmpi.so.40 is missing", Verdict::Fail,
            "the engine bundle needs glibc 2.34: use a host with a newer system, or build the engine on a "
            "system as old as this host; install OpenMPI 4 (Debian: openmpi-bin), or load its module in the "
            "shell start-up file"});
    change(rows,
           {"driver", "535.104.05, compute capability 9.0", Verdict::Fail,
            "the engine bundle uses CUDA 13, which needs driver 580.65.06 or newer: update the driver"});
    change(rows,
           {"clock", "−4210 ms ± 18 ms relative to this computer", Verdict::Warn,
            "timestamps from this host will be off; start its time service (chrony, systemd-timesyncd)"});
    return host(
        QStringLiteral("rental-eu-west-3-gpu-node-000417.cluster.example.org"),
        QStringLiteral("203.0.113.217 port 40022"),
        facts(QStringLiteral("node-000417"), 8, QStringLiteral("NVIDIA H200"), 141 * kGiB, 1510 * kGiB),
        rows);
}

HostEntry hostInState(const QString& name, const QString& address, HostState state, const QString& activity)
{
    HostEntry entry;
    entry.name = name;
    entry.address = address;
    entry.state = state;
    entry.activity = activity;
    return entry;
}

DataSetEntry dataSet(const QString& name, const QString& host, const QString& folder, std::uint64_t tokens,
                     std::uint64_t rows, int shards, int length)
{
    DataSetEntry entry;
    entry.name = name;
    entry.host = host;
    entry.folder = folder;
    entry.tokens = tokens;
    entry.rows = rows;
    entry.testRows = rows / 100;
    entry.shards = shards;
    entry.sequenceLength = length;
    entry.maxPredictions = length == 128 ? 20 : 80;
    entry.vocabularySize = 30522;
    return entry;
}

ProgressRecord record(const char* stage, std::uint64_t done, std::uint64_t total, const char* unit,
                      double rate, double left)
{
    ProgressRecord record;
    record.stage = stage;
    record.done = done;
    record.total = total;
    record.unit = unit;
    record.rate = rate;
    record.secondsLeft = left;
    return record;
}

} // namespace

std::vector<HostEntry> hosts()
{
    return {host(QStringLiteral("gpu-03"), QStringLiteral("10.0.0.3 port 22"),
                 facts(QStringLiteral("gpu-03"), 4, QStringLiteral("NVIDIA A100-SXM4-80GB"), 80 * kGiB,
                       463 * kGiB),
                 goodRows(QStringLiteral("4 × NVIDIA A100-SXM4-80GB, 80.0 GiB"))),
            hostWithTrouble(),
            hostInState(QStringLiteral("me@workstation.lab"), QStringLiteral("192.168.12.40 port 2222"),
                        HostState::Checking, QStringLiteral("uploading the agent, 1.2 of 3.4 MiB")),
            hostInState(QStringLiteral("gpu-11"), QStringLiteral("10.0.0.11 port 22"),
                        HostState::HostKeyUnknown, QStringLiteral("waiting for you to confirm the host key")),
            hostInState(QStringLiteral("old-cluster"), {}, HostState::NotReached, {}),
            hostInState(QStringLiteral("slurm-login"), {}, HostState::NotChecked, {})};
}

PreflightReport clusterWithTrouble()
{
    const QString first = QStringLiteral("gpu-03");
    const QString second = hosts()[1].name;
    const QString third = QStringLiteral("slurm-login");
    const auto link = [](const QString& from, const QString& to, const QString& found, double rate) {
        return LinkRow{from, to, LinkRow::Way::Tcp, found, Verdict::Ok, {}, 0.08, rate};
    };
    LinkRow blocked{
        first,
        second,
        LinkRow::Way::Tcp,
        QStringLiteral("no answer within 3.00 s (10.20.4.17)"),
        Verdict::Fail,
        QStringLiteral("allow connections to every TCP port of %1 from 10.20.0.0/16 (ufw allow from "
                       "10.20.0.0/16; firewall-cmd --zone=trusted --add-source=10.20.0.0/16)")
            .arg(second)};
    LinkRow keyless{first,
                    third,
                    LinkRow::Way::Ssh,
                    QStringLiteral("Permission denied (publickey)."),
                    Verdict::Fail,
                    QStringLiteral("on gpu-03 run `ssh-copy-id slurm-login`: mpirun logs in from there with "
                                   "a key without a passphrase")};
    PreflightReport report;
    for (const QString& name : {first, second, third}) {
        HostReport host;
        host.host = name;
        host.facts = facts(name, 4, QStringLiteral("NVIDIA A100-SXM4-80GB"), 80 * kGiB, 463 * kGiB);
        host.rows = goodRows(QStringLiteral("4 × NVIDIA A100-SXM4-80GB, 80.0 GiB"));
        host.rows << CheckRow{"network",
                              "10.20.0.0/16 (ens3, eth0), 25 Gbit/s: not every host can reach every other",
                              Verdict::Fail, "see the links below: the ranks need all of them"};
        report.hosts << host;
    }
    report.hosts[0].links = {blocked, link(first, third, QStringLiteral("0.08 ms, 2.9 GB/s"), 2.9e9),
                             keyless};
    report.hosts[1].links = {link(second, first, QStringLiteral("0.08 ms"), 0),
                             link(second, third, QStringLiteral("0.09 ms"), 0)};
    report.hosts[2].links = {link(third, first, QStringLiteral("0.08 ms"), 0)};
    return report;
}

HostKeyQuestion hostKeyQuestion()
{
    return {QStringLiteral("gpu-11"), QStringLiteral("10.0.0.11 port 22"), QStringLiteral("slurm-login"),
            QStringLiteral("ssh-ed25519"),
            QStringLiteral("SHA256:mVPwvezndPv/ARoIadVY98vAC0g+P/5633yTC4d/wXE")};
}

HostKeyChange hostKeyChange()
{
    HostKeyChange change;
    change.host = QStringLiteral("old-cluster");
    change.address = QStringLiteral("10.0.7.2 port 22");
    change.via = QStringLiteral("slurm-login");
    change.keyType = QStringLiteral("ssh-ed25519");
    change.fingerprint = QStringLiteral("SHA256:mVPwvezndPv/ARoIadVY98vAC0g+P/5633yTC4d/wXE");
    const QString file = QStringLiteral("/home/ada/.ssh/known_hosts");
    change.known = {
        {change.keyType, QStringLiteral("SHA256:p2QAMXNIC1TJYWeIOttrVc98/R1BUFWu3/LiyKgUfQM"), file, 14},
        {QStringLiteral("ssh-rsa"), QStringLiteral("SHA256:uNiVztksCsDhcc0u9e8BgrJXVGhfxWkCkvd7Y2BzGYk"),
         file, 15}};
    change.userFiles = {file};
    return change;
}

Error changedHostKey()
{
    return refused(
        "old-cluster (via slurm-login): the host key changed: it is now ssh-ed25519 "
        "SHA256:mVPwvezndPv/ARoIadVY98vAC0g+P/5633yTC4d/wXE (/home/ada/.ssh/known_hosts line 14 has "
        "another); this may be a man-in-the-middle attack",
        "ask the host's administrator; if the key really changed, remove the old one: ssh-keygen -R "
        "'old-cluster'");
}

std::vector<DataSetEntry> dataSets()
{
    auto sets = std::vector{
        dataSet(QStringLiteral("enwiki-20261101-seq128"), QStringLiteral("localhost"),
                QStringLiteral("/data/corpora/enwiki-20261101-seq128"), 3'912'443'871, 153'417'216, 256, 128),
        dataSet(QStringLiteral("enwiki-20261101-seq512"), QStringLiteral("localhost"),
                QStringLiteral("/data/corpora/enwiki-20261101-seq512"), 3'912'443'871, 38'912'000, 256, 512),
        dataSet(QStringLiteral("bgwiki-pages-articles-multistream-with-a-very-long-name"),
                QStringLiteral("gpu-03"),
                QStringLiteral(
                    "/mnt/scratch/users/ada/corpora/bgwiki-pages-articles-multistream-with-a-very-long-name"),
                81'224'118, 3'201'552, 64, 128),
        dataSet(QStringLiteral("sample"), QStringLiteral("localhost"),
                QStringLiteral("/tmp/trainyard-demo/data"), 527'681, 26'959, 9, 128)};
    DataSetEntry labelled = dataSet(QStringLiteral("support-mails"), QStringLiteral("localhost"),
                                    QStringLiteral("/data/tasks/support-mails"), 2'154'113, 41'871, 10, 128);
    labelled.maxPredictions = 0;
    labelled.objective = "classify";
    labelled.labels = 4;
    labelled.documents = 41'871;
    sets.push_back(labelled);
    sets[0].check = sets[3].check = DataSetEntry::Check::Verified;
    sets[1].check = DataSetEntry::Check::Damaged;
    return sets;
}

std::vector<SampleRow> samples()
{
    const auto tokens = [](const char* text, int segment) {
        std::vector<SampleToken> all;
        for (const QString& word : QString::fromUtf8(text).split(QLatin1Char(' '))) {
            const QStringList parts = word.split(QLatin1Char('>')); // "original>shown"
            all.push_back(parts.size() == 2 ? SampleToken{parts[1], parts[0], segment}
                                            : SampleToken{word, {}, segment});
        }
        return all;
    };
    SampleRow row;
    row.shard = QStringLiteral("wikicorpus_en_training_17.hdf5");
    row.row = 40'817;
    row.randomNext = true;
    row.tokens = tokens(
        "[CLS] an ##ar ##chism is a political philosophy>[MASK] and movement that is sc ##ept ##ical of "
        "all just ##ifications for authority>[MASK] and seeks to abolish the institutions it claims>claims "
        "maintain unnecessary co ##er ##cion and hierarchy , typically including nation>harbour ##alism , "
        "states>[MASK] , and capitalism . [SEP]",
        0);
    const auto second =
        tokens("autism spectrum>[MASK] disorder is a neuro ##development ##al condition marked>[MASK] by "
               "difficulties in social communication and by restricted , repetitive patterns>[MASK] of "
               "behaviour , interests or activities>activities . signs are usually noticed by parents "
               "during the first three years>violin of a child ' s life . [SEP]",
               1);
    row.tokens.insert(row.tokens.end(), second.begin(), second.end());
    return std::vector<SampleRow>(20, row);
}

QByteArray manifest()
{
    QByteArray shards;
    for (int i = 0; i < 24; ++i)
        shards += QByteArray(i == 0 ? "" : ",") + R"({"file":"wikicorpus_en_training_)" +
                  QByteArray::number(i) + R"(.hdf5","rows":599286,"training":true,"sha256":")" +
                  QByteArray("07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3") + R"("})";
    return R"({"version":1,"tool_version":"0.1.0","sequence_length":128,"max_predictions":20,"vocabulary_size":30522,
        "vocabulary_sha256":"07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3","seed":12345,
        "settings":{"dumps":["enwiki-20261101-pages-articles1.xml-p1p41242.bz2","enwiki-20261101-pages-articles2.xml-p41243p151573.bz2"],
            "format":"mediawiki","keep_headings":false,"keep_lists":false,"segmenter":"rules","punkt_sha256":"",
            "tokenizer_profile":"hf-0.23","cased":false,"objective":"bert","next_sentence":"random","whole_words":false,
            "masked_share":0.15,"short_sequence_share":0.1,"dupe_factor":5,"test_fraction":0.1,"provenance":false},
        "counters":{"pages":24112044,"redirects":11902117,"pages_of_other_namespaces":5297883,"pages_of_other_models":1204,
            "articles_without_text":20112,"headings_dropped":31244117,"list_items_dropped":52118004,"table_rows_dropped":40118220,
            "appendix_lines_dropped":61229118,"fragments_dropped":911204,"sentences_without_tokens":118},
        "statistics":{"documents":6912044,"test_documents":691204,"sentences":171224118,"tokens":3912443871,
            "row_tokens":1717000000,"full_rows":11794000,"random_next":7565500,"single_sentence":891000,"masked":257550000,
            "mask_token":206040000,"kept_token":25780000,"random_token":25730000,
            "length_histogram":[61000,92000,101000,118000,131000,142000,160000,171000,188000,203000,222000,241000,262000,297000,411000,11582864]},
        "shards":[)" +
           shards + "]}";
}

TextTable tokenFacts()
{
    return {
        {"Statistic", "Value", "Meaning"},
        {{"Unknown words", "0.04 %", "Share of [UNK] tokens; above 1 % the vocabulary does not fit the text"},
         {"Vocabulary used", "29 964 of 30 522", "Entries occurring in the rows"},
         {"Most frequent", "the 5.92 %",
          "Share of tokens; next: , 5.1 %  ·  . 4.42 %  ·  of 2.91 %  ·  and 2.64 %"}}};
}

PrepareRequest prepareRequest()
{
    PrepareRequest options;
    options.host = QStringLiteral("gpu-03");
    options.dumps = {"/data/dumps/enwiki-20261101-pages-articles.xml.bz2"};
    options.vocabulary = "/data/vocab/bert-base-uncased.txt";
    options.out = "/data/corpora/enwiki-20261101-seq128";
    return options;
}

PrepareRequest labelledRequest()
{
    PrepareRequest options;
    options.task.kind = TaskKind::Classify;
    options.task.text = "subject";
    options.task.label = "queue";
    options.task.labels = {"delay", "ticket refund", "lost property", "praise"};
    options.dumps = {"/data/mails/2025.tsv", "/data/mails/2026.tsv"};
    options.vocabulary = "/data/vocab/bert-base-uncased.txt";
    options.out = "/data/tasks/support-mails";
    return options;
}

StageProgress halfPrepared()
{
    StageProgress progress;
    ProgressRecord read = record("read", 22'400'000'000, 22'400'000'000, "B", 0, 0);
    read.counters = R"({"pages":24112044,"redirects":11902117,"pages_of_other_namespaces":5297883})";
    progress.apply(read);
    progress.apply(record("memory", 812 * kMiB, 0, "B", 0, -1));
    progress.apply(record("disk", 1'731 * kGiB, 0, "B", 0, -1));
    ProgressRecord clean = record("clean", 6'912'044, 6'912'044, "pages", 0, 0);
    clean.counters =
        R"({"articles_without_text":20112,"headings_dropped":31244117,"list_items_dropped":52118004,
        "table_rows_dropped":40118220,"appendix_lines_dropped":61229118,"fragments_dropped":911204})";
    progress.apply(clean);
    progress.apply(record("sentences", 171'224'118, 171'224'118, "sentences", 0, 0));
    progress.apply(record("tokens", 3'101'112'909, 3'912'443'871, "tokens", 14'212'332, 57));
    progress.apply(record("instances", 12'118'004, 34'560'220, "documents", 88'420, 254));
    return progress;
}

RunSpec goodSpec()
{
    RunSpec spec;
    spec.name = "bert-large-phase1";
    spec.model = *modelPreset("bert-large");
    spec.cluster.nodes = {NodeSpec{"gpu-03", 4, 80 * kGiB, "p4de.24xlarge"},
                          NodeSpec{"gpu-11", 8, 80 * kGiB, "p4de.24xlarge"}};
    spec.layout.data = 12;
    spec.batch = {.global = 3072, .micro = 32, .accumulation = 8};
    spec.precision.compute = ComputeType::BFloat16;
    spec.optimizer.kind = OptimizerKind::Lamb;
    spec.optimizer.learningRate = 6e-3;
    spec.optimizer.schedule = ScheduleKind::Polynomial;
    spec.optimizer.warmupSteps = 2000;
    spec.launch.steps = 7038;
    spec.checkpoint.everySteps = 500;
    spec.dataset.path = "/data/corpora/enwiki-20261101-seq128";
    return spec;
}

RunSpec badSpec()
{
    RunSpec spec = goodSpec();
    spec.model.heads = 15;
    spec.layout.data = 24;
    spec.optimizer.warmupSteps = 9000;
    return spec;
}

RunSpec phasedSpec()
{
    RunSpec spec = goodSpec();
    spec.name = "bert-large-two-phases";
    addPhase(spec);
    spec.phases[0].name = "128";
    spec.phases[1].name = "512";
    setPhaseSteps(spec, 1, 1564);
    RunSpec second = specOfPhase(spec, 1);
    second.dataset.path = "/data/corpora/enwiki-20261101-seq512";
    second.batch = {.global = 1536, .micro = 8, .accumulation = 16};
    second.optimizer.learningRate = 4e-3;
    second.optimizer.warmupSteps = 200;
    overrideInPhase(spec, 1, second);
    return spec;
}

RunSpec badPhasesSpec()
{
    RunSpec spec = phasedSpec();
    RunSpec second = specOfPhase(spec, 1);
    second.batch.global = 1500;
    second.optimizer.kind = OptimizerKind::AdamW;
    overrideInPhase(spec, 1, second);
    return spec;
}

RunSpec mixedSpec()
{
    RunSpec spec = goodSpec();
    spec.dataset.mix = {{spec.dataset.path, 2}, {"", 1}};
    spec.dataset.path.clear();
    return spec;
}

RunSpec oneHostSpec()
{
    RunSpec spec = goodSpec();
    spec.cluster.nodes = {NodeSpec{"gpu-11", 8, 40 * kGiB}};
    spec.layout.data = spec.layout.pipeline = spec.layout.tensor = 2;
    spec.batch = {.global = 512, .micro = 32, .accumulation = 8};
    return spec;
}

RunSpec thousandDevicesSpec()
{
    RunSpec spec = goodSpec();
    spec.name = "gpt-175b";
    spec.model = *modelPreset("gpt-175b");
    spec.cluster.nodes.clear();
    for (int node = 1; node <= 128; ++node)
        spec.cluster.nodes.push_back(
            {"node" + std::to_string(1000 + node).substr(1), 8, 80 * kGiB, "ndm-a100-v4"});
    spec.layout.tensor = 8;
    spec.layout.pipeline = 16;
    spec.layout.data = 8;
    spec.layout.sequence = true;
    spec.batch = {.global = 1536, .micro = 1, .accumulation = 192};
    spec.memory.zeroStage = 1;
    spec.memory.recompute = RecomputeKind::Selective;
    return spec;
}

RunSpec unequalHostsSpec()
{
    RunSpec spec = goodSpec();
    spec.cluster.nodes = {NodeSpec{"gpu-03", 4, 80 * kGiB}, NodeSpec{"gpu-11", 8, 40 * kGiB},
                          NodeSpec{"ada@workstation-with-a-long-name.lab.example.org", 3, 7 * kGiB}};
    spec.layout.pipeline = 2;
    spec.layout.data = 7;
    spec.batch = {.global = 1792, .micro = 32, .accumulation = 8};
    return spec;
}

} // namespace trainyard::pictures
