#!/bin/bash
# rtecho-host link over its whole life: up, status, traffic, up again, other values, foreign namespaces, killed in the
# middle, interrupted, down, down again, nothing left.
# Usage: link_test.sh PATH_OF_RTECHO_HOST; exits 77 when it is skipped.
set -uo pipefail

readonly host=$1
# Names of this process, so that a link of the user is left alone.
readonly a=rt$$a b=rt$$b
readonly names=(--namespace-a "$a" --namespace-b "$b" --interface-a "$a" --interface-b "$b")
failures=0

failed() {
  echo "FAILED: $1"
  failures=$((failures + 1))
}

if [[ $(id -u) -ne 0 ]] || ! unshare --net true 2>/dev/null; then
  echo "skipped: network namespaces need CAP_NET_ADMIN and CAP_SYS_ADMIN: run as root"
  exit 77
fi

remove_everything() {
  ip netns delete "$a" 2>/dev/null
  ip netns delete "$b" 2>/dev/null
}
trap remove_everything EXIT

link() {
  "$host" link "$@" "${names[@]}"
}

# expect NAME EXIT_CODE PART_OF_THE_OUTPUT COMMAND…
expect() {
  local name=$1 code=$2 part=$3 output got=0
  shift 3
  output=$("$@" 2>&1) || got=$?
  if [[ $got -ne $code || $output != *"$part"* ]]; then
    failed "$name: exit code $got instead of $code, or no '$part' in: $output"
  fi
}

# A refused connection is an answer of the other end, so it proves both directions.
reach() {
  ip netns exec "$b" timeout 5 bash -c ": </dev/tcp/$1/9"
}

# Starts an `up`, sends SIGNAL after MILLISECONDS, and waits for its end.
up_and_kill() {
  local signal=$1 milliseconds=$2
  "$host" link up "${names[@]}" >/dev/null 2>&1 &  # not the function: the signal would meet a shell
  local process=$!
  sleep "$(printf '0.%03d' "$milliseconds")"
  kill "-$signal" "$process" 2>/dev/null
  wait "$process" 2>/dev/null
}

expect "status before" 1 "down" link status
expect "down before" 0 "already down" link down
expect "up" 0 "up: $a" link up
expect "status" 0 "up: $a" link status
expect "IPv4" 1 "Connection refused" reach 10.77.0.1
[[ -e /proc/net/if_inet6 ]] && expect "IPv6" 1 "Connection refused" reach fd77::1
expect "up again" 0 "already up" link up
expect "up with another MTU" 3 "has mtu 1500, not 1400" link up --mtu 1400
expect "status with another MTU" 0 "up with other values" link status --mtu 1400

ip -netns "$a" link delete "$a"
expect "status without its interface" 4 "half made" link status
expect "up mends it" 0 "up: $a" link up
expect "IPv4 after mending" 1 "Connection refused" reach 10.77.0.1
expect "down" 0 "down" link down
expect "down again" 0 "already down" link down

expect "up with an MTU that is too small for IPv6" 0 "mtu 576" link up --mtu 576
expect "IPv4 with it" 1 "Connection refused" reach 10.77.0.1
expect "down with it" 0 "down" link down

ip netns add "$b"
expect "up beside a foreign namespace" 3 "was not made by rtecho-host" link up
expect "status beside it" 3 "foreign" link status
expect "down beside it" 3 "was not made by rtecho-host" link down
[[ -e /run/netns/$b ]] || failed "the foreign namespace was removed"
[[ -e /run/netns/$a ]] && failed "a refused up left a namespace"
ip netns delete "$b"

# An `up` takes about 0.2 s here; whatever it left is ours, and either mended or removed.
for milliseconds in 5 10 20 30 40 50 60 80 100 120 150 200; do
  up_and_kill KILL "$milliseconds"
  expect "up after a kill at $milliseconds ms" 0 "up: $a" link up
  expect "down after it" 0 "down" link down
  up_and_kill KILL "$milliseconds"
  expect "down after a kill at $milliseconds ms" 0 "down" link down
done
for milliseconds in 20 60 100; do
  up_and_kill INT "$milliseconds"
  # Nothing, or all of it where the signal came too late.
  [[ $(link status) == half* ]] && failed "interrupted at $milliseconds ms it left a half"
  link down >/dev/null
done

expect "bad name" 2 "namespace a 'a/b'" "$host" link up --namespace-a a/b
expect "unknown option" 2 "" "$host" link up --speed 5
expect "no action" 2 "" "$host" link
if command -v setpriv >/dev/null; then
  expect "without privilege" 3 "CAP_NET_ADMIN and CAP_SYS_ADMIN" setpriv --bounding-set -sys_admin "$host" link up
fi

if [[ -e /run/netns/$a || -e /run/netns/$b ]]; then
  failed "a namespace is left"
fi
[[ $failures -eq 0 ]] && echo "passed"
exit $((failures > 0))
