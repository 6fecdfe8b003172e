# SPDX-License-Identifier: Apache-2.0
# bash completion for foretask. `foretask __complete` has the candidates: src/cli/command_words.hpp says what it prints.

_foretask_paths() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$2")
}

# A program and its arguments begin at word $1. With bash-completion, it completes as it does alone.
_foretask_program() {
  if declare -F _command_offset >/dev/null; then
    _command_offset "$1"
  elif (($1 == COMP_CWORD)); then
    mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
  else
    _foretask_paths -f "${COMP_WORDS[COMP_CWORD]}"
  fi
}

_foretask() {
  local current=${COMP_WORDS[COMP_CWORD]} words=("${COMP_WORDS[0]/#\~/$HOME}") begins=(0) lines line word i
  if [[ $current == '=' ]]; then current=''; fi
  # --option=value comes as three words, and is one word to foretask.
  for ((i = 1; i <= COMP_CWORD; ++i)); do
    if [[ ${COMP_WORDS[i]} == '=' || ${COMP_WORDS[i - 1]} == '=' ]]; then
      words[-1]+=${COMP_WORDS[i]}
    else
      words+=("${COMP_WORDS[i]}")
      begins+=("$i")
    fi
  done
  COMPREPLY=()
  mapfile -t lines < <("${words[0]}" __complete "${words[@]:1}" 2>/dev/null)
  for line in "${lines[@]}"; do
    case $line in
      :files) _foretask_paths -f "$current" ;;
      :folders) _foretask_paths -d "$current" ;;
      :program*) _foretask_program "${begins[${line#:program }]}" ;;
      *)
        word=${line%%$'\t'*}
        if [[ $word == "$current"* ]]; then COMPREPLY+=("${word%=}"); fi ;;
    esac
  done
}
complete -F _foretask foretask
