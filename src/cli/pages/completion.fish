# SPDX-License-Identifier: Apache-2.0
# fish completion for foretask. `foretask __complete` has the candidates: src/cli/command_words.hpp says what it prints.

function __foretask_lines
    set -l words (commandline -opc)
    set -l foretask (string replace -r '^~/' "$HOME/" -- $words[1])
    command $foretask __complete $words[2..-1] (commandline -ct) 2>/dev/null
end

function __foretask_candidates
    set -l token (commandline -ct)
    # The value of --option=value is offered alone, and fish replaces the whole word.
    set -l option (string match -r -- '^--[^=]*=' $token)
    for line in (__foretask_lines)
        switch $line
            case ':files'
                # The last line of this script has fish complete them.
            case ':folders'
                printf "$option%s\n" (__fish_complete_directories (string replace -r -- '^--[^=]*=' '' $token))
            case ':program *'
                set -l begin (math (string replace ':program ' '' $line) + 1)
                set -l words (commandline -opc)
                complete -C (string join ' ' -- (string escape -- $words[$begin..-1]) $token)
            case '*'
                printf "$option%s\n" (string replace -r -- '=\t' '\t' $line)
        end
    end
end

complete -c foretask -f -a '(__foretask_candidates)'
complete -c foretask -n 'contains -- :files (__foretask_lines)' -F
