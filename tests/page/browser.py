# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven through chromedriver: WebDriver is JSON over HTTP."""

import base64
import http.client
import json
import os
import re
import shutil
import subprocess

ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'  # the key that WebDriver gives elements by
KEYS = {'Enter': '\ue007', 'Tab': '\ue004', 'End': '\ue010', 'Home': '\ue011', 'Left': '\ue012', 'Up': '\ue013',
        'Right': '\ue014', 'Down': '\ue015', 'Space': ' '}


class BrowserError(Exception):
    pass


def missing():
    """Why no browser can be started here, or None."""
    for program in ('chromium', 'chromedriver'):
        if not shutil.which(program):
            return f'no {program} (Debian: chromium, chromium-driver)'
    return None


class Browser:
    """One window. Use it by `with`: it ends chromedriver and Chromium, and nothing else."""

    def __init__(self, folder):
        """`folder`: for what the browser keeps, deleted before and after."""
        self._folder = os.path.join(folder, 'profile')
        shutil.rmtree(self._folder, ignore_errors=True)
        os.makedirs(self._folder)
        # Port 0: a free one, which chromedriver prints.
        self._driver = subprocess.Popen(['chromedriver', '--port=0'], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self._session = None
        try:
            # Kept open: a check asks thousands of times.
            self._connection = http.client.HTTPConnection('127.0.0.1', self._read_port(), timeout=120)
            self._session = self._start_session()
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self._session:
            try:
                self._call('DELETE', '')
            except (BrowserError, OSError, http.client.HTTPException):
                pass
            self._connection.close()
        self._driver.terminate()
        self._driver.wait()
        self._driver.stdout.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def open(self, path):
        self._call('POST', '/url', {'url': 'file://' + os.path.abspath(path)})

    def run(self, script, *arguments):
        """The result of a function's body in the page."""
        return self._call('POST', '/execute/sync', {'script': script, 'args': list(arguments)})

    def wait_for(self, script, *arguments):
        """The same, of an asynchronous function's body."""
        body = ('const done = arguments[arguments.length - 1];'
                f'(async (...given) => {{ {script} }})(...[...arguments].slice(0, -1))'
                '.then((value) => done([value]), (error) => done(String(error)));')
        answer = self._call('POST', '/execute/async', {'script': body, 'args': list(arguments)})
        if isinstance(answer, str):
            raise BrowserError(answer)
        return answer[0]

    def find_all(self, selector):
        return self._call('POST', '/elements', {'using': 'css selector', 'value': selector})

    def press(self, *keys):
        """Of the element that has the focus; names of KEYS, or characters."""
        presses = []
        for key in keys:
            value = KEYS.get(key, key)
            presses += [{'type': 'keyDown', 'value': value}, {'type': 'keyUp', 'value': value}]
        self._call('POST', '/actions', {'actions': [{'type': 'key', 'id': 'keyboard', 'actions': presses}]})

    def resize(self, width, height=1000):
        """Of what shows the page, without a frame."""
        self.devtools('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1,
                      mobile=False)

    def set_theme(self, theme):
        """'light' or 'dark'."""
        self.devtools('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': theme}])

    def devtools(self, command, **parameters):
        return self._call('POST', '/goog/cdp/execute', {'cmd': command, 'params': parameters})

    def screenshot(self, path, clip):
        """`clip`: x, y, width and height within the page."""
        data = self.devtools('Page.captureScreenshot', format='png', captureBeyondViewport=True,
                             clip={**clip, 'scale': 1})['data']
        with open(path, 'wb') as file:
            file.write(base64.b64decode(data))

    def console(self):
        """Its messages since the last call."""
        return [entry['message'] for entry in self._log('browser')]

    def requests(self):
        """The addresses that pages asked for since the last call; not Chromium's own ones, with which it starts."""
        messages = [json.loads(entry['message'])['message'] for entry in self._log('performance')]
        return [message['params']['request']['url'] for message in messages
                if message['method'] == 'Network.requestWillBeSent' and
                not message['params']['documentURL'].startswith('chrome://')]

    def _log(self, kind):
        return self._call('POST', '/se/log', {'type': kind})

    def _read_port(self):
        for line in self._driver.stdout:
            if found := re.search(r'started successfully on port (\d+)', line):
                return int(found[1])
        raise BrowserError('chromedriver did not start')

    def _start_session(self):
        arguments = ['--headless=new', f'--user-data-dir={self._folder}', '--no-first-run', '--disable-dev-shm-usage',
                     '--hide-scrollbars', '--disable-background-networking', '--lang=en-GB',
                     '--remote-debugging-pipe']  # else by the name localhost, which a minimal system lacks
        if os.geteuid() == 0:
            arguments.append('--no-sandbox')  # Chromium refuses to start it as root
        options = {'args': arguments, 'binary': shutil.which('chromium')}
        capabilities = {'browserName': 'chrome', 'goog:chromeOptions': options, 'unhandledPromptBehavior': 'ignore',
                        'goog:loggingPrefs': {'browser': 'ALL', 'performance': 'ALL'}}
        answer = self._send('POST', '/session', {'capabilities': {'alwaysMatch': capabilities}})
        return answer['sessionId']

    def _call(self, method, path, body=None):
        return self._send(method, f'/session/{self._session}{path}', body)

    def _send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        self._connection.request(method, path, data, {'Content-Type': 'application/json'})
        response = self._connection.getresponse()
        value = json.load(response)['value']
        if response.status != 200:
            raise BrowserError(f"{value['error']}: {value['message'].splitlines()[0]}")
        return value
