#pragma once

#include <optional>
#include <string>

#include <QByteArray>
#include <QList>
#include <QStringList>

#include "engine/spec/run_spec.h"
#include "remote/launch/data_offer.h"
#include "remote/launch/desk_run.h"
#include "remote/preflight/preflight.h"

namespace trainyard {

/// The run to start, and its hosts.
struct StartPlan {
    DeskRun run;
    QByteArray document;         ///< spec.json or job.json, byte for byte
    std::optional<RunSpec> spec; ///< of a new run or layout, to be judged by what the hosts have
    QList<int> slotCounts;       ///< ranks on each node
    QList<QStringList> devices;  ///< GPUs that the ranks of each node may take; empty = any
    bool slurm = false;          ///< a batch job, submitted on the one host, whatever nodes it will get
    bool resume = false;         ///< the run is there already; its next attempt starts
    bool moves = false;          ///< a resume on other hosts: the run is created where it is missing
    double learningRate = 0;     ///< peak of the schedule from then on; 0 = as before
    std::optional<qint64> step;  ///< of the checkpoint that a resume goes back to
    SendData sendData = SendData::Refuse; ///< of a new run
    std::string layout;                   ///< from then on (engine/spec/layout_change.h); empty = as before
    NetworkChoice network;                ///< between the hosts
};

} // namespace trainyard
