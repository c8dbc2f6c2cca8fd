#!/bin/sh
# The mapper of a streaming engine: JSON Lines on standard input; a key, a tab and the state of this part on standard output.
#
#   stream_mapper.sh RULES
#
# Hadoop sets both variables. The key decides which reducer gets the state: here, 64 neighbouring parts go to the same one.
set -eu
part=$((${mapreduce_task_partition:?} + 1)) of=${mapreduce_job_maps:?}
# In two steps: in a pipe, the shell would not see that evalengine failed.
state=$(evalengine "$1" - ${OPTIONS-} --part "$part/$of" --state -)
printf '%s\t%s\n' "$(((part - 1) / 64))" "$state"
