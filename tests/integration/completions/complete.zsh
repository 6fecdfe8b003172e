# SPDX-License-Identifier: Apache-2.0
# usage: zsh -f complete.zsh FOLDER_OF_PAGES: what zsh completes on foretask's command line, in a terminal of its own.
zmodload zsh/zpty || exit 1
pages=$1
failed=0
zpty shell zsh -f -i
zpty -w shell "PS1= ; fpath=($pages/zsh/site-functions \$fpath); autoload -U compinit; compinit -u -D
show() { print -r -- \"<<\$BUFFER>>\"; BUFFER=; }; zle -N show; bindkey '^X' show; bindkey '^I' complete-word; print ready-\$((1 + 1))"
zpty -r shell answer '*ready-2*' || exit 1

# expect WANTED LINE: a tab makes this of the line.
expect() {
  zpty -w -n shell "$2"$'\t\x18'
  local answer
  zpty -r shell answer '*<<*>>*'
  answer=${${answer#*<<}%%>>*}
  if [[ $answer != $1 ]]; then
    print -r -- "$2: expected $1, got $answer"
    failed=1
  fi
}

expect 'foretask report ' 'foretask rep'
expect 'foretask model evaluate ' 'foretask model e'
expect 'foretask export --format=' 'foretask export --fo'
expect 'foretask export run --format perfetto ' 'foretask export run --format pe'
expect 'foretask simulate run --policy=work-stealing ' 'foretask simulate run --policy=w'
expect 'foretask model fit run --terms=' 'foretask model fit run --te'
zpty -d shell
exit $failed
