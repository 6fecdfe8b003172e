# SPDX-License-Identifier: Apache-2.0
"""usage: picture.py SCRIPT FOLDER

scripts/readme_picture on each page in FOLDER: its picture is XML, has nothing but drawn elements, and asks for nothing.
Ends with 0 where all is well, 4 where there is no page with a timeline.
"""

import glob
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

SKIPPED = 4  # as tests/skip.hpp
MOST_BYTES = 100_000
DRAWN = {'svg', 'style', 'defs', 'pattern', 'g', 'rect', 'path', 'circle', 'text'}


def faults_of(path):
    with open(path, encoding='utf-8') as file:
        text = file.read()
    if len(text) > MOST_BYTES:
        yield f'{len(text)} bytes'
    for element in ElementTree.fromstring(text).iter():
        if isinstance(element.tag, str) and element.tag.rpartition('}')[2] not in DRAWN:
            yield f'an element {element.tag}'
        for name in element.attrib:
            if name.startswith('on') or name.endswith('href'):
                yield f'an attribute {name}'
    for address in re.findall(r'url\((?!#)[^)]*|@import|@font-face', text):
        yield f'a request of {address}'


def main():
    script, folder = sys.argv[1:]
    looked_at = faults = 0
    for page in sorted(glob.glob(os.path.join(folder, '*.html'))):
        with open(page, encoding='utf-8') as file:
            if 'id="data-timeline"' not in file.read():
                continue  # built without esbuild
        picture = page.removesuffix('.html') + '.svg'
        subprocess.run([sys.executable, '-B', script, '--page', page, '--out', picture], check=True)
        looked_at += 1
        for fault in faults_of(picture):
            print(f'{picture}: {fault}')
            faults += 1
    if looked_at == 0:
        print('skipped: no page with a timeline was recorded')
        sys.exit(SKIPPED)
    sys.exit(0 if faults == 0 else 1)


if __name__ == '__main__':
    main()
