#compdef foretask
# SPDX-License-Identifier: Apache-2.0
# zsh completion for foretask. `foretask __complete` has the candidates: src/cli/command_words.hpp says what it prints.

_foretask() {
  local line program
  local -a plain valued
  for line in ${(f)"$(${(Q)~words[1]} __complete "${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)"}; do
    # _describe has a colon between a candidate and its description.
    case $line in
      :files) compset -P '--*='; _files ;;
      :folders) compset -P '--*='; _files -/ ;;
      :program*)
        program=${line#:program }
        shift $program words
        ((CURRENT -= program))
        _normal ;;
      *=$'\t'*) valued+=("${line/=$'\t'/:}") ;;
      *) plain+=("${line/$'\t'/:}") ;;
    esac
  done
  if (($#plain + $#valued)); then
    compset -P '--*='
    _describe foretask plain -- valued -qS=
  fi
}

# Loaded by the first completion, or read by a user.
if [[ $funcstack[1] == _foretask ]]; then _foretask "$@"; else compdef _foretask foretask; fi
