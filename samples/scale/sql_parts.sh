#!/bin/sh
# Evaluates the rows of a database in N parts: each part is a query that prints one JSON object a line.
#
#   sql_parts.sh N OUT RULES PROGRAM [ARGUMENT...] QUERY
#
# In QUERY, {part} is the number of the part, from 1 on, and {of} is N: each row must belong to exactly one part. Examples:
#
#   sql_parts.sh 8 out rules.lua duckdb -noheader -list -c "SELECT to_json(t) FROM 'data/*.parquet' t WHERE hash(id) % {of} = {part} - 1"
#   sql_parts.sh 8 out rules.lua clickhouse-client --query "SELECT id, expected, candidate FROM runs WHERE cityHash64(id) % {of} = {part} - 1 FORMAT JSONEachRow"
#   sql_parts.sh 8 out rules.lua psql -qAtc "SELECT to_json(t) FROM runs t WHERE mod(abs(hashtext(id)::bigint), {of}) = {part} - 1"
#   sql_parts.sh 8 out rules.lua sqlite3 runs.db "SELECT record FROM runs WHERE rowid % {of} = {part} - 1"
#
# JOBS parts run at a time (default: 4). The same command again runs only the parts whose state is missing.
# Options of the run, such as "--set x=1 --id doc_id", which merge needs as well, are in the variable OPTIONS.
set -eu

if [ "${1:-}" = --part ]; then
  of=$2 out=$3 rules=$4 part=$5
  shift 5
  for word; do # xargs has replaced {part}
    set -- "$@" "$(printf '%s\n' "$word" | sed "s/{of}/$of/g")"
    shift
  done
  # In two steps: in a pipe, the shell would not see that the query failed, and a cut answer would pass for a whole one.
  "$@" >"$out/$part.jsonl"
  evalengine "$rules" - ${OPTIONS-} --part "$part/$of" --state "$out/$part.state" --jobs 1 <"$out/$part.jsonl"
  rm "$out/$part.jsonl"
  exit
fi

[ $# -ge 5 ] || { sed -n '4s/^# *//p' "$0" >&2; exit 2; }
of=$1 out=$2 rules=$3
shift 3
mkdir -p "$out"
for part in $(seq "$of"); do
  [ -s "$out/$part.state" ] || echo "$part"
done | xargs -P "${JOBS:-4}" -I '{part}' sh "$0" --part "$of" "$out" "$rules" '{part}' "$@" ||
  { echo "not all parts are done; the same command runs the rest" >&2; exit 5; }
exec evalengine merge "$rules" "$out"/*.state ${OPTIONS-}
