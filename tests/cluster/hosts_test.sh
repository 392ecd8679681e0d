#!/usr/bin/env bash
# Ranks on two hosts, which are network namespaces with their own addresses and names; Open MPI connects them over TCP.
# Needs root and iproute2.  Usage: hosts_test.sh COMMAND TEST
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

first=scalelaw-a-$$
second=scalelaw-b-$$

take_down() {
  ip netns del "$first" 2>/dev/null
  ip netns del "$second" 2>/dev/null
  rm -rf "$work"
}

set_up() {
  [ "$(id -u)" = 0 ] || skip "network namespaces need root"
  command -v ip >/dev/null || skip "there is no ip (iproute2)"
  mpirun --version 2>/dev/null | grep -q "Open MPI" || skip "the test speaks to Open MPI"
  ip netns add "$first" 2>/dev/null || skip "network namespaces are not allowed here"
  trap take_down EXIT
  ip netns exec "$first" true 2>/dev/null || skip "network namespaces cannot be entered here"
  ip netns add "$second" || skip "network namespaces are not allowed here"
  ip link add eth0 netns "$first" type veth peer name eth0 netns "$second" || skip "no veth here"
  local host address=1
  for host in "$first" "$second"; do
    ip -n "$host" address add "10.73.19.$address/24" dev eth0
    ip -n "$host" link set eth0 up
    ip -n "$host" link set lo up
    address=$((address + 1))
  done
  # "enter" the host instead of using ssh. With its own host name, Open MPI takes it for another machine.
  # Where two files are named, the second host sees the second file in place of the first.
  cat > "$work/enter" <<END
#!/bin/sh
shift
exec ip netns exec $second unshare --uts --mount sh -c 'hostname hosttwo; [ -z "${2:-}" ] || mount --bind ${2:-} ${1:-}; exec sh -c "\$*"' enter "\$@"
END
  chmod +x "$work/enter"
}

on_two_hosts() {
  ip netns exec "$first" unshare --uts sh -c 'hostname hostone; exec "$@"' enter mpirun --allow-run-as-root --oversubscribe \
    -np 4 --host 10.73.19.1:2,10.73.19.2:2 --mca plm_rsh_agent "$work/enter" --mca btl tcp,self \
    --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0 --mca pml ob1 "$@"
}

test_ranks_on_two_hosts() {
  set_up
  on_two_hosts hostname > names 2> err || fail "mpirun over two hosts: $(cat err)"
  [ "$(sort -u names | tr '\n' ' ')" = "hostone hosttwo " ] || fail "the hosts are $(cat names)"
  make_table a.csv 300000
  "$scalelaw" --quiet fit a.csv -b model --format json > one.json || fail "one process"
  on_two_hosts "$scalelaw" --quiet fit a.csv -b model --format json > four.json 2> err || fail "four ranks: $(cat err)"
  same one.json four.json
  make_tree tree
  "$scalelaw" --quiet ingest tree -o one.csv || fail "one process"
  on_two_hosts "$scalelaw" --quiet ingest tree -o four.csv 2> err || fail "four ranks: $(cat err)"
  same one.csv four.csv
  local bytes
  bytes=$(ip netns exec "$first" cat /sys/class/net/eth0/statistics/tx_bytes)
  [ "$bytes" -gt 20000 ] || fail "only $bytes bytes went over the wire"
}

test_two_versions_of_a_table_are_refused() {
  make_table a.csv 300000
  { cat a.csv; echo BERT,1,1; } > b.csv
  set_up "$work/a.csv" "$work/b.csv"
  on_two_hosts "$scalelaw" fit a.csv -b model --format json > out.json 2> err && fail "both versions were read"
  grep -q "a.csv: rank 2 on hosttwo sees another file than rank 0 on hostone: it has" err || fail "$(cat err)"
}

test_two_versions_of_a_trace_are_refused() {
  make_tree tree
  local one
  one=$(find "$work/tree" -name '*.csv' -size +12k | sort | sed -n 5p)
  { head -n 1 "$one"; tail -n +3 "$one"; } > other.csv
  touch -r "$one" other.csv
  set_up "$one" "$work/other.csv"
  on_two_hosts "$scalelaw" ingest tree -o out.csv 2> err && fail "both versions were read"
  grep -q "${one#"$work/"}: rank 2 on hosttwo sees another file than rank 0 on hostone: it has" err || fail "$(cat err)"
  [ ! -e out.csv ] || fail "there is a table"
}

test_a_trace_that_grows_is_read() {
  make_tree tree
  local one
  one=$(find "$work/tree" -name '*.csv' -size +12k | sort | sed -n 5p)
  { cat "$one"; tail -n 1 "$one"; } > other.csv
  set_up "$one" "$work/other.csv"
  on_two_hosts "$scalelaw" --quiet ingest tree -o out.csv 2> err || [ $? = 1 ] || fail "$(cat err)"
  [ -s out.csv ] || fail "there is no table"
  # What was written an hour ago is not being written.
  touch -d '1 hour ago' "$one" other.csv
  on_two_hosts "$scalelaw" ingest tree -o out.csv 2> err && fail "both versions were read"
  grep -q "sees another file than rank 0 on hostone: it has" err || fail "$(cat err)"
}

cd "$work" || exit 1
"$test_name"
