#!/bin/sh
# Evaluates one large object of JSON Lines on a web server or in object storage in N parts; each reads only its own bytes.
#
#   http_ranges.sh N OUT RULES URL
#
# JOBS parts run at a time (default: 4). The same command again runs only the parts whose state is missing. The server must support
# range requests. Needs curl.
# Options of the run, such as "--set x=1 --id doc_id", which merge needs as well, are in the variable OPTIONS.
set -eu

if [ "${1:-}" = --part ]; then # N OUT RULES URL SIZE ETAG PART
  of=$2 out=$3 rules=$4 url=$5 size=$6 etag=$7 part=$8
  from=$((size * (part - 1) / of)) to=$((size * part / of)) # from the first byte, 0, up to the byte before TO
  start=$((from > 0 ? from - 1 : 0))                        # the byte before tells whether a record begins at FROM
  # evalengine ends the download after the part's last record, so curl's own status says nothing. A download that ends before is
  # noticed by evalengine (status 5), and curl's message says why.
  curl --silent --show-error --fail --location ${etag:+--header "If-Match: $etag"} --range "$start-" "$url" 2>"$out/$part.curl" |
    evalengine "$rules" - ${OPTIONS-} --range "$from:$to" --part "$part/$of" --state "$out/$part.state" --jobs 1 || { cat "$out/$part.curl" >&2; exit 5; }
  rm "$out/$part.curl"
  exit
fi

[ $# -eq 4 ] || { sed -n '4s/^# *//p' "$0" >&2; exit 2; }
of=$1 out=$2 rules=$3 url=$4
mkdir -p "$out"
headers=$(curl --silent --show-error --fail --head --location "$url" | tr -d '\r')
size=$(printf '%s\n' "$headers" | sed -n 's/^[Cc]ontent-[Ll]ength: *//p' | tail -n 1)
etag=$(printf '%s\n' "$headers" | sed -n 's/^[Ee][Tt]ag: *//p' | tail -n 1) # all parts then read the same version of the object
[ -n "$size" ] || { echo "$url: the server does not say how long this is" >&2; exit 5; }
for part in $(seq "$of"); do
  [ -s "$out/$part.state" ] || echo "$part"
done | xargs -P "${JOBS:-4}" -n 1 sh "$0" --part "$of" "$out" "$rules" "$url" "$size" "$etag" ||
  { echo "not all parts are done; the same command runs the rest" >&2; exit 5; }
exec evalengine merge "$rules" "$out"/*.state ${OPTIONS-}
