#!/usr/bin/env bash
# Runs the recipes of docs/slurm on a real Slurm of one node, which this script starts on loopback and ends again. Needs root
# and Debian's slurm-wlm and munge. ctest -L slurm runs it.  Usage: slurm_test.sh COMMAND TEST
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

recipes=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../docs/slurm" && pwd)
daemons=()

take_down() {
  local daemon
  for daemon in "${daemons[@]}"; do kill "$daemon" 2>/dev/null; done
  sleep 0.5
  for daemon in "${daemons[@]}"; do kill -KILL "$daemon" 2>/dev/null; done
  rm -rf "$work"
}

set_up() {
  [ "$(id -u)" = 0 ] || skip "the daemons need root"
  local name
  for name in slurmctld slurmd munged sbatch; do
    command -v $name >/dev/null || [ -x /usr/sbin/$name ] || skip "there is no $name (slurm-wlm, munge)"
  done
  trap take_down EXIT
  chmod 755 "$work"
  mkdir -p "$work/munge" "$work/state" "$work/spool"
  dd if=/dev/urandom of="$work/munge/key" bs=1024 count=1 status=none
  chmod 700 "$work/munge"
  chmod 400 "$work/munge/key"
  # Everybody must reach the socket, but nobody else the key.
  mkdir -m 755 "$work/socket"
  munged --foreground --force --key-file="$work/munge/key" --socket="$work/socket/munge" --pid-file="$work/munge/pid" \
    --log-file="$work/munge/log" --seed-file="$work/munge/seed" > munged.log 2>&1 &
  daemons+=($!)
  cat > slurm.conf <<END
ClusterName=scalelaw
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/socket/munge
CredType=cred/munge
SlurmctldPort=17817
SlurmdPort=17818
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1
NodeName=$(hostname -s) NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
END
  export SLURM_CONF=$work/slurm.conf
  PATH=$PATH:/usr/sbin
  slurmctld -D -f "$SLURM_CONF" > ctld.out 2>&1 &
  daemons+=($!)
  slurmd -D -f "$SLURM_CONF" -N "$(hostname -s)" > slurmd.out 2>&1 &
  daemons+=($!)
  local i
  for i in $(seq 60); do
    sinfo -h -o %T 2>/dev/null | grep -q idle && break
    sleep 0.5
  done
  sinfo -h -o %T | grep -q idle || fail "no idle node: $(sinfo 2>&1; tail -n 5 slurmctld.log; tail -n 5 slurmd.log)"
  mkdir bin
  ln -s "$scalelaw" bin/scalelaw
  export PATH=$work/bin:$PATH
}

# The way in which srun's tasks find one another with this Open MPI.
joining() { srun --mpi=list 2>&1 | tr ' ,' '\n\n' | grep -qx pmix && echo pmix || echo pmi2; }

# A link beside the MPI library, because the command looks for it beside its own file.
test_slurm_recipes() {
  set_up
  sinfo
  srun --mpi=list
  make_tree tree
  mkdir one mpi array
  scalelaw --quiet ingest tree --jobs tree/jobs.csv --skip-bad-files -o one/runs.csv || fail "one process"
  scalelaw --quiet fit one/runs.csv --format json -o one/fits.json || fail "one process"

  SCALELAW_SRUN_MPI=$(joining) sbatch --wait --nodes=1 --ntasks-per-node=3 --cpus-per-task=1 -o mpi.log \
    "$recipes/scalelaw-mpi.sbatch" tree tree/jobs.csv mpi || fail "MPI form: $(cat mpi.log)"
  cat mpi.log
  same one/runs.csv mpi/runs.csv
  diff <(sed 's/one\///' one/fits.json) <(sed 's/mpi\///' mpi/fits.json) > /dev/null || fail "other fits"

  # With a store: the second job reads nothing.
  mkdir kept
  local i
  for i in 1 2; do
    rm -f kept/runs.csv
    SCALELAW_SRUN_MPI=$(joining) sbatch --wait --nodes=1 --ntasks-per-node=3 --cpus-per-task=1 -o kept.log \
      "$recipes/scalelaw-mpi.sbatch" tree tree/jobs.csv kept kept/study.db || fail "MPI form with a store: $(cat kept.log)"
    same one/runs.csv kept/runs.csv
  done
  grep -q "^0 new files" kept.log || fail "read again: $(cat kept.log)"

  # The array needs one folder of the tree per job.
  mkdir split
  local file job
  find tree -name '*.csv' ! -name jobs.csv | sort | while read -r file; do
    job=$(basename "$file" | sed 's/-.*//')
    mkdir -p "split/$((job % 4))"
    cp "$file" "split/$((job % 4))/"
  done
  sbatch --wait --array=0-1 --cpus-per-task=1 -o array-%a.log "$recipes/scalelaw-array.sbatch" split tree/jobs.csv array ||
    fail "array form: $(cat array-*.log)"
  cat array-*.log
  mkdir array-kept stores
  for i in 1 2; do
    sbatch --wait --array=0-1 --cpus-per-task=1 -o stored-%a.log "$recipes/scalelaw-array.sbatch" split tree/jobs.csv array-kept stores ||
      fail "array form with stores: $(cat stored-*.log)"
    same array/runs-0.csv array-kept/runs-0.csv
    same array/runs-1.csv array-kept/runs-1.csv
  done
  [ "$(grep -h -c "^0 new files" stored-0.log stored-1.log | tr -d '\n')" = 11 ] || fail "read again: $(cat stored-*.log)"
  diff <(sort one/runs.csv) <(cat array/runs-*.csv | sort -u) > /dev/null || fail "the array makes other rows"
  squeue
}

cd "$work" || exit 1
"$test_name"
