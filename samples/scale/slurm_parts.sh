#!/bin/sh
# Evaluates data in N parts as a Slurm job array; a job that waits for all of them merges their states into one report.
#
#   slurm_parts.sh N OUT RULES DATA...
#
# The same command again submits only the parts whose state is missing. All nodes must see OUT, RULES and DATA under the same names.
# Options of the run, such as "--set x=1 --id doc_id", which merge needs as well, are in the variable OPTIONS.
set -eu

case ${1:-} in
--part) # One task of the array. N is an argument: SLURM_ARRAY_TASK_COUNT is smaller where only some parts are submitted.
  of=$2 out=$3 rules=$4
  shift 4
  exec evalengine "$rules" "$@" ${OPTIONS-} --shard "$SLURM_ARRAY_TASK_ID/$of" --state "$out/$SLURM_ARRAY_TASK_ID.state" \
    --jobs "${SLURM_CPUS_PER_TASK:-1}"
  ;;
--merge) # Its exit status is that of the whole run: 0, 1 where a gate fails, 4 where records are in error.
  exec evalengine merge "$4" "$3"/*.state ${OPTIONS-} -o "$3/report.txt" -f table
  ;;
esac

[ $# -ge 4 ] || { sed -n '4s/^# *//p' "$0" >&2; exit 2; }
of=$1 out=$2
mkdir -p "$out"
missing=
for part in $(seq "$of"); do
  [ -s "$out/$part.state" ] || missing=$missing,$part
done
set -- "$0" --part "$@"
after=
if [ -n "$missing" ]; then
  array=$(sbatch --parsable --job-name=evalengine-part --array="${missing#,}" --cpus-per-task=1 --output="$out/%a.log" "$@")
  echo "parts ${missing#,} of $of: job $array"
  # Without kill-on-invalid-dep, the merge would wait for ever after a part has failed.
  after="--dependency=afterok:${array%%;*} --kill-on-invalid-dep=yes"
fi
script=$1
shift 2
merge=$(sbatch --parsable --job-name=evalengine-merge $after --output="$out/merge.log" "$script" --merge "$@")
echo "report in $out/report.txt: job $merge"
