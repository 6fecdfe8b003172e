# SPDX-License-Identifier: Apache-2.0
"""axe-core, by npm and its lock file."""

import os
import shutil
import subprocess

_HERE = os.path.dirname(os.path.abspath(__file__))


def fetch(folder):
    """Its script and None, or '' and why it is not there. `folder` keeps it."""
    path = os.path.join(folder, 'node_modules', 'axe-core', 'axe.min.js')
    os.makedirs(folder, exist_ok=True)
    if not _is_kept(path, folder):
        if not shutil.which('npm'):
            return '', 'no npm for axe-core (Debian: npm)'
        for name in ('package.json', 'package-lock.json'):
            shutil.copy(os.path.join(_HERE, name), folder)
        command = ['npm', 'ci', '--no-audit', '--no-fund', '--ignore-scripts', '--fetch-retries=0']
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100)
        except subprocess.TimeoutExpired:
            return '', 'no axe-core: npm ci takes too long'
        if done.returncode != 0 or not os.path.exists(path):
            return '', 'no axe-core: npm ci failed'
    with open(path, encoding='utf-8') as file:
        return file.read(), None


def _is_kept(path, folder):
    """Whether it is there, and of the lock file's version."""
    kept = os.path.join(folder, 'package-lock.json')
    if not os.path.exists(path) or not os.path.exists(kept):
        return False
    with open(kept, 'rb') as one, open(os.path.join(_HERE, 'package-lock.json'), 'rb') as other:
        return one.read() == other.read()
