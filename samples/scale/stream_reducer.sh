#!/bin/sh
# The reducer of a streaming engine: lines "key, tab, state" on standard input, their merged state on standard output.
#
#   stream_reducer.sh RULES
set -eu
states=$(cat)
# A reducer may get no line at all; merge ignores keys.
[ -z "$states" ] || printf '%s\n' "$states" | evalengine merge "$1" - ${OPTIONS-} --state -
