# SPDX-License-Identifier: Apache-2.0
# usage: bash complete.bash FOLDER_OF_PAGES: what bash completes on foretask's command line.
source "$1/bash-completion/completions/foretask"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir 'run one' && touch graph.jsonl
failed=0

# expect WANTED WORD...: with the cursor behind the last word, these words are offered.
expect() {
  local wanted=$1
  shift
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  COMPREPLY=()
  _foretask
  local got
  got=$(printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd '|')
  if [[ $got != "$wanted" ]]; then
    echo "$*: expected $wanted, got $got"
    failed=1
  fi
}

expect 'record|report' foretask re
expect 'evaluate|fit|show' foretask model ''
expect '--format' foretask export --fo
expect '--help|--json|--kernel|--params|--save|--target|--terms' foretask model fit --
expect 'perfetto' foretask export graph.jsonl --format pe
expect 'loops-csv' foretask export graph.jsonl --format lo
expect 'profile-csv|profile-svg' foretask export --format = pro  # as bash parts --format=pro
expect 'work-stealing' foretask simulate graph.jsonl --policy w
expect 'graph.jsonl' foretask simulate g
expect 'graph.jsonl|run one' foretask simulate ''
expect 'run one' foretask record --out r
expect '' foretask simulate graph.jsonl --cores g
expect '--counter-sampling|--counters' foretask record --co
# The recorded program's own words are not foretask's.
expect 'graph.jsonl' foretask record --out new ls g
expect 'graph.jsonl' foretask record --out new -- ls g
expect '' foretask record ls --co
compgen -c -- bash >/dev/null && expect "$(compgen -c -- mktem | sort | paste -sd '|')" foretask record mktem

# With the package bash-completion, as the program alone.
_command_offset() { COMPREPLY=("offset $1"); }
expect 'offset 5' foretask record --out new -- ls --
expect 'offset 4' foretask record --out new ls --
expect 'offset 5' foretask record --out = new ls --
expect 'offset 2' foretask learn ''
exit "$failed"
