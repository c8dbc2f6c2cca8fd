#!/bin/sh
# Evaluates data in N parts with GNU parallel, on this machine or over ssh, and prints the merged report.
#
#   parallel_parts.sh N OUT RULES DATA...
#   HOSTS=8/host1,8/host2 parallel_parts.sh N OUT RULES DATA...
#
# The same command again runs only the parts that are not done. With HOSTS, up to 8 parts at a time run on each host, which must have
# evalengine, RULES and DATA under the same names; states come back through ssh.
# Options of the run, such as "--set x=1 --id doc_id", which merge needs as well, are in the variable OPTIONS.
set -eu
[ $# -ge 4 ] || { sed -n '4,5s/^# *//p' "$0" >&2; exit 2; }
of=$1 out=$2 rules=$3
shift 3
mkdir -p "$out"

# OUT/I.state gets what part I prints, OUT/I.state.err its messages, OUT/joblog a line for each part that has ended.
seq "$of" | parallel --quote ${HOSTS:+--sshlogin "$HOSTS" --workdir "$PWD"} \
  --joblog "$out/joblog" --resume-failed --retries 3 --halt soon,fail=1 --results "$out/{}.state" \
  evalengine "$rules" "$@" ${OPTIONS-} --shard "{}/$of" --state - --jobs 1 >/dev/null ||
  { echo "not all parts are done; the same command runs the rest" >&2; exit 5; }

exec evalengine merge "$rules" "$out"/*.state ${OPTIONS-}
