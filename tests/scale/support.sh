# shellcheck shell=bash
# Sourced by the tests of this folder: where they run, as whom, on which data, and what "the same" is.
#
# Each test copies what it needs into a folder of its own, and there works as a user would who has copied samples/scale. As root, it
# goes on as the user "games", who owns nothing: neither a recipe nor an engine may need more. What runs at the end is killed.
set -eu
export LC_ALL=C

# need PROGRAM PACKAGE: without this program the test is skipped (CTest: SKIP_RETURN_CODE 77).
need() {
  PATH=$PATH:/usr/sbin:/sbin command -v "$1" >/dev/null ||
    { echo "skipped: '$1' is not installed: apt-get install --no-install-recommends $2, or make scale"; exit 77; }
}

# A folder outside of the source tree, and this test again in it; TEST_AS_ROOT: without another user.
enter() { # PROGRAM
  [ -z "${SCALE_FOLDER-}" ] || return 0
  local here top folder user="" status=0
  here=$(cd "$(dirname "$0")" && pwd) top=$(cd "$(dirname "$0")/../.." && pwd)
  folder=$(mktemp -d "${TMPDIR:-/tmp}/scale.XXXXXX")
  mkdir "$folder/bin" "$folder/home" "$folder/work"
  cp "$1" "$folder/bin/evalengine"
  cp -R "$top/samples/scale" "$folder/recipes"
  cp -R "$top/rules" "$top/samples" "$here" "$folder"
  if [ "$(id -u)" = 0 ] && [ -z "${TEST_AS_ROOT-}" ] && id games >/dev/null 2>&1; then
    user="setpriv --reuid games --regid games --clear-groups"
    chown -R games:games "$folder"
    chmod 755 "$folder"
  fi
  # shellcheck disable=SC2086 # several words, or none
  (cd "$folder/work" && exec setsid $user env -u TMPDIR SCALE_FOLDER="$folder" HOME="$folder/home" PATH="$folder/bin:$PATH:/usr/sbin:/sbin" \
    "$folder/scale/$(basename "$0")" "$folder/bin/evalengine") &
  local child=$!
  # shellcheck disable=SC2064
  trap "kill $child 2>/dev/null || true" INT TERM
  wait "$child" || status=$?
  kill -KILL -- "-$child" 2>/dev/null || true # what a failed test has left
  if [ -n "${KEEP-}" ]; then echo "kept: $folder"; else rm -rf "$folder"; fi
  exit "$status"
}

fail() {
  echo "failed: $*"
  exit 1
}

# wait_for SECONDS MESSAGE COMMAND...: until COMMAND succeeds.
wait_for() {
  local tries=$(($1 * 20)) message=$2
  shift 2
  until "$@"; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || fail "$(eval "echo \"$message\"")"
    sleep 0.05
  done
}

# The data, the rules, and the reports of the whole run: whole.FORMAT, whole.FORMAT.status.
FORMATS="table json csv markdown"
export OPTIONS="--set threshold=0.7" # recipes hand these on
prepare() { # RECORDS
  "$SCALE_FOLDER/scale/data.py" "$1" >data.jsonl
  cp "$SCALE_FOLDER/scale/rules.lua" "$SCALE_FOLDER/scale/hold.py" .
  local format
  for format in $FORMATS; do
    status_of "whole.$format.status" evalengine rules.lua data.jsonl $OPTIONS -q -f "$format" >"whole.$format" 2>whole.messages
  done
}

# status_of FILE COMMAND...: runs the command and writes its exit status into FILE.
status_of() {
  local file=$1 status=0
  shift
  "$@" || status=$?
  echo "$status" >"$file"
}

# same_as_whole STATE...: merged in another order, they are the whole run, to the byte, in every format.
same_as_whole() {
  local format
  for format in $FORMATS; do
    status_of merged.status evalengine merge rules.lua "$@" $OPTIONS -q -f "$format" >merged 2>messages
    cmp "whole.$format" merged || fail "the merged report differs ($format)"
    cmp "whole.$format.status" merged.status || fail "status $(cat merged.status) of merge, $(cat "whole.$format.status") of the whole run ($format)"
  done
}

# is_whole FORMAT FILE WHAT: what a recipe printed into FILE, and its exit status in the file "status", are the whole run's.
is_whole() {
  cmp "whole.$1" "$2" && cmp "whole.$1.status" status && return
  [ ! -s messages ] || tail -n 30 messages
  fail "$3: status $(cat status), $(cat "whole.$1.status") of the whole run"
}

# The judge hold.py of rules.lua stops at the case "held" while the file "armed" is there, and names the process that waits for it.
arm() {
  rm -f reached
  touch armed
}
# kill_worker: waits for a worker in the middle of its part, kills it, and lets the others go on.
kill_worker() {
  wait_for 60 "no worker reached the case 'held'" test -s reached
  kill -KILL "$(cat reached)"
  rm -f armed
}

# free_port [COUNT]: ports of 127.0.0.1 that nobody uses now.
free_port() {
  python3 - "${1:-1}" <<'P'
import socket
import sys

sockets = [socket.socket() for _ in range(int(sys.argv[1]))]
for one in sockets:
    one.bind(("127.0.0.1", 0))
print(*(one.getsockname()[1] for one in sockets))
P
}

# parent_named NAME PID: the nearest process above PID whose name begins with NAME.
parent_named() {
  local pid=$2
  while [ "$pid" -gt 1 ]; do
    pid=$(awk '/^PPid:/ { print $2 }' "/proc/$pid/status")
    case $(cat "/proc/$pid/comm") in "$1"*) echo "$pid" && return ;; esac
  done
  fail "no process '$1' above process $2"
}
