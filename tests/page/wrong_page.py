# SPDX-License-Identifier: Apache-2.0
"""Checks must find what is wrong in wrong_page.html: parts of what they are to say."""

import os

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'wrong_page.html')
TEXTS = ('a name',)
FAULTS = {
    'opening': ('no section origin', 'workers: no heading', 'answer: no text below the heading', "does not say 'a name'",
                'made of names', 'the console says: ', 'a request of file://'),
    'keyboard': ('"stays closed" does not open', '"stays closed" does not show that it has the focus',
                 '"without focus" is not reached', 'column 1 has no button', 'the rows are not'),
    'layout': ('the page is 3', '"a long text that is cut off" is cut off', 'lies on speed-up', 'text "one" lies on "two"',
               'text "beyond" goes past its figure', 'text "small" has letters', 'goes past the window'),
    'accessibility': ('color-contrast: ', 'html-has-lang: '),
    'no_script': ('no section origin', 'workers: no svg', 'what-if: no tbody tr'),
    'printing': ("goes past the paper's edge",),
    'views': ('most_work_comes_first',),
}


def missed(check, faults):
    """What of FAULTS is in none of `faults`."""
    return [wanted for wanted in FAULTS[check] if not any(wanted in fault for fault in faults)]
