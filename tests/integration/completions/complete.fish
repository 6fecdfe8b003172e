# SPDX-License-Identifier: Apache-2.0
# usage: fish complete.fish FOLDER_OF_PAGES: what fish completes on foretask's command line.
source $argv[1]/fish/vendor_completions.d/foretask.fish
set -g failed 0

function expect -a wanted line
    set -l got (complete -C $line | string replace -r '\t.*' '' | string join '|')
    if test "$got" != "$wanted"
        echo "$line: expected $wanted, got $got"
        set -g failed 1
    end
end

expect 'record|report' 'foretask re'
expect 'evaluate|fit|show' 'foretask model '
expect --format 'foretask export --forma'
expect --terms 'foretask model fit --term'
expect perfetto 'foretask export run --format pe'
expect work-stealing 'foretask simulate run --policy w'
expect '' 'foretask doctor x'
exit $failed
