#pragma once

#include "app/data/model/data_set_details.h"
#include "app/data/model/data_set_entry.h"
#include "app/data/model/prepare_request.h"
#include "app/data/model/sample_rows.h"
#include "app/hosts/model/host_entry.h"
#include "app/hosts/model/stage_progress.h"
#include "engine/spec/run_spec.h"
#include "remote/preflight/preflight.h"

namespace trainyard::pictures {

// What a researcher's desk could hold after some weeks, long names included.
std::vector<HostEntry> hosts();
/// Three of them as one cluster, where a firewall and a missing key are in the way.
PreflightReport clusterWithTrouble();
HostKeyQuestion hostKeyQuestion();
HostKeyChange hostKeyChange();
Error changedHostKey();
std::vector<DataSetEntry> dataSets();
std::vector<SampleRow> samples();
QByteArray manifest();
TextTable tokenFacts();
PrepareRequest labelledRequest();
PrepareRequest prepareRequest();
StageProgress halfPrepared();
RunSpec goodSpec();
/// Three things are wrong with it.
RunSpec badSpec();
/// BERT's two phases.
RunSpec phasedSpec();
/// Their second batch is none of this many replicas, and the optimizer of the first has other state.
RunSpec badPhasesSpec();
/// On two data sets, the second without a path yet.
RunSpec mixedSpec();
/// On one host of eight devices, with every kind of parallelism.
RunSpec oneHostSpec();
/// 175B on 128 hosts of eight devices.
RunSpec thousandDevicesSpec();
/// Hosts with different numbers of slots, different memory and long names; one of them is too small.
RunSpec unequalHostsSpec();

} // namespace trainyard::pictures
