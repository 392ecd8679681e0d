#!/usr/bin/env bash
# symbols_test.sh LIBRARY HEADER: the library shows the functions of the header, each with a version, and nothing else.
set -euo pipefail
shown=$(nm --dynamic --defined-only "$1" | awk '$2 != "A" { print $3 }' | sort)
promised=$(grep -o 'scalelaw_[a-z_]*(' "$2" | tr -d '(' | sort -u | sed 's/$/@@SCALELAW_1/')
# Instrumented libraries show what the sanitizer needs, too.
shown=$(grep -v '^__\|^_ZN.*san' <<< "$shown" || true)
diff <(printf '%s\n' "$promised") <(printf '%s\n' "$shown") || {
  echo "Left: what the header promises. Right: what the library shows."
  exit 1
}
