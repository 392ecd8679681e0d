#!/usr/bin/env bash
# check_includes_test.sh CHECK: scripts/check-includes finds each kind of violation in a small tree, and nothing in a sound one.
set -euo pipefail
check=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

write() {  # write FILE LINE...: a file of the tree.
  mkdir -p "$tree/$(dirname "$1")"
  printf '%s\n' "${@:2}" > "$tree/$1"
}

sound_tree() {
  rm -rf "${tree:?}"/*
  write docs/architecture.md '| `base/` | numbers | |' '| `fit/` | laws | `base` |' '| `apps/scalelaw/` | commands | `base`, `fit` |'
  write include/scalelaw/base/number.hpp '#pragma once'
  write include/scalelaw/fit/law.hpp '#include "scalelaw/base/number.hpp"'
  write include/scalelaw/scalelaw.hpp '#include "scalelaw/base/number.hpp"' '#include "scalelaw/fit/law.hpp"'
  # A header that is divided into parts.
  write src/fit/parts.hpp '#include "scalelaw/fit/law.hpp"'
  write src/fit/law.cpp '#include "scalelaw/fit/law.hpp"' '#include "fit/parts.hpp"'
  write apps/scalelaw/main.cpp '#include "scalelaw/fit/law.hpp"'
}

expect() {  # expect WORDS: the check fails and says so; without words it passes.
  local said
  if said=$("$check" "$tree" 2>&1); then
    [ $# -eq 0 ] && return
    echo "missed: $1"
  else
    [ $# -eq 1 ] && [[ $said == *"$1"* ]] && return
    echo "expected: ${1:-nothing}; found: $said"
  fi
  failures=$((failures + 1))
}

sound_tree; expect
sound_tree; write src/base/number.cpp '#include "scalelaw/fit/law.hpp"'
expect 'src/base/number.cpp:1: base may not include fit (scalelaw/fit/law.hpp)'
sound_tree; write src/other/new.cpp '#include "scalelaw/fit/law.hpp"'
expect 'other is no room of docs/architecture.md'
sound_tree; write docs/architecture.md '| `base/` | numbers | `fit` |' '| `fit/` | laws | `base` |' '| `apps/scalelaw/` | commands | `base`, `fit` |'
expect 'base may include fit, which does not stand above it'
sound_tree; write include/scalelaw/fit/law.hpp '#include "fit/parts.hpp"'
expect 'a public header includes the private fit/parts.hpp'
expect 'includes itself by way of other headers'
sound_tree; write apps/scalelaw/main.cpp '#include "fit/parts.hpp"'
expect 'the command includes the private fit/parts.hpp'
sound_tree; write include/scalelaw/fit/rank.hpp '#pragma once'
expect 'scalelaw.hpp does not include include/scalelaw/fit/rank.hpp'
sound_tree; write src/fit/one.cpp '#include "fit/two.hpp"'; write src/fit/two.cpp '#include "fit/one.hpp"'
write src/fit/one.hpp '#pragma once'; write src/fit/two.hpp '#pragma once'
expect 'a circle without a head'
sound_tree; write docs/architecture.md '| `base/` | numbers | |' '| `old/` | gone | `base` |' '| `fit/` | laws | `base` |' \
  '| `apps/scalelaw/` | commands | `base`, `fit` |'
expect 'docs/architecture.md: there is no folder old'
sound_tree; write src/base/number.cpp '#include <vector>' '#include <scalelaw/fit/law.hpp>'
expect 'src/base/number.cpp:2: scalelaw/fit/law.hpp is a header of ours and stands in quotes'
expect 'src/base/number.cpp:2: base may not include fit (scalelaw/fit/law.hpp)'
sound_tree; write src/base/number.cpp '#if 1' '  # include "scalelaw/fit/law.hpp"' '#endif'
expect 'src/base/number.cpp:2: base may not include fit (scalelaw/fit/law.hpp)'
exit $((failures > 0))
