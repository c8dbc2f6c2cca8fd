#!/bin/sh
# Evaluates JSON Lines in HDFS with Hadoop streaming, and prints the merged report.
#
#   hadoop_streaming.sh RULES INPUT OUTPUT
#
# evalengine must be installed on all nodes. FILES: other files that RULES needs, with commas between them. STREAMING_JAR: the jar,
# where it is not in HADOOP_HOME.
# Options of the run, such as "--set x=1 --id doc_id", which merge needs as well, are in the variable OPTIONS.
set -eu
[ $# -eq 3 ] || { sed -n '4s/^# *//p' "$0" >&2; exit 2; }
rules=$1 input=$2 output=$3 here=$(dirname "$0")
jar=${STREAMING_JAR:-$(ls "$HADOOP_HOME"/share/hadoop/tools/lib/hadoop-streaming-*.jar | tail -n 1)}

hadoop jar "$jar" \
  -D mapreduce.job.name=evalengine \
  -D mapreduce.job.reduces=4 \
  -files "$rules,$here/stream_mapper.sh,$here/stream_reducer.sh${FILES:+,$FILES}" \
  -cmdenv "OPTIONS=${OPTIONS-}" \
  -input "$input" -output "$output" \
  -mapper "sh stream_mapper.sh $(basename "$rules")" \
  -reducer "sh stream_reducer.sh $(basename "$rules")" >&2

# The reducers' lines are states: they are merged once more, on this machine.
states=$(mktemp)
trap 'rm -f "$states"' EXIT
hdfs dfs -cat "$output/part-*" >"$states"
evalengine merge "$rules" "$states" ${OPTIONS-}
