"""JupyterLab as a learner meets it, for one test: the server on a folder, and headless Chromium looking at a notebook.

`lab(root)` is a running server, `Page` opens one of its notebooks and runs cells as a person does, with the keyboard. Cells
are found through JupyterLab's own application object, because a long notebook only draws what is on the screen.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from notebook_kernel import WAIT_S, environment
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

SETTINGS = {  # no questions about news, which would cover the notebook
    "notification": {"fetchNews": "false", "checkForUpdates": False},
}
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--window-size=1300,1500",
)  # fmt: skip
FIND = """
const panel = jupyterapp.shell.currentWidget;
const index = panel.content.widgets.findIndex(cell => cell.model.id === arguments[0]);
const cell = panel.content.widgets[index];
"""


@dataclass(frozen=True)
class Server:
    url: str
    token: str


@contextlib.contextmanager
def lab(root: Path, scratch: Path) -> Iterator[Server]:
    """JupyterLab on the folder `root`, with its settings and its log in `scratch`."""
    settings = scratch / "settings"
    for name, values in SETTINGS.items():
        file = settings / "@jupyterlab" / "apputils-extension" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = Server(f"http://127.0.0.1:{port}", secrets.token_hex(16))
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", f"--ServerApp.root_dir={root}", "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={port}", "--ServerApp.port_retries=0", f"--IdentityProvider.token={server.token}",
        "--LabApp.expose_app_in_browser=True", *(["--allow-root"] if os.geteuid() == 0 else []),
    ]  # fmt: skip
    own = {"JUPYTERLAB_SETTINGS_DIR": str(settings), "JUPYTERLAB_WORKSPACES_DIR": str(scratch / "workspaces"),
           "JUPYTER_RUNTIME_DIR": str(scratch / "runtime"), "JUPYTER_CONFIG_DIR": str(scratch / "config")}  # fmt: skip
    log = scratch / "lab.log"
    with log.open("w") as out:
        process = subprocess.Popen(command, cwd=root, env=environment() | own, stdout=out, stderr=out)
    try:
        _wait_for(server, process, log)
        yield server
    finally:
        process.terminate()  # shuts its kernels down first
        try:
            process.wait(WAIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for(server: Server, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        assert process.poll() is None, log.read_text()[-3000:]
        with contextlib.suppress(urllib.error.URLError, OSError):
            urllib.request.urlopen(f"{server.url}/api?token={server.token}", timeout=5).close()
            return
        time.sleep(0.3)
    raise AssertionError(log.read_text()[-3000:])


@contextlib.contextmanager
def chromium(profile: Path) -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    driver = webdriver.Chrome(options, service)
    try:
        yield driver
    finally:
        driver.quit()


class Page:
    """One open notebook."""

    def __init__(self, driver: webdriver.Chrome, server: Server, path: str):
        self.driver = driver
        driver.set_script_timeout(WAIT_S)
        driver.get(f"{server.url}/lab/tree/{path}?token={server.token}")
        ready = "return !!window.jupyterapp?.shell?.currentWidget?.sessionContext?.session?.kernel"
        self._until(lambda _: driver.execute_script(ready))
        driver.execute_async_script("jupyterapp.shell.currentWidget.sessionContext.ready.then(arguments[0])")

    def _until(self, condition: object) -> None:
        WebDriverWait(self.driver, WAIT_S, poll_frequency=0.5).until(condition)  # type: ignore[arg-type]

    def select(self, cell_id: str) -> None:
        """Make a cell the active one, in command mode."""
        self.driver.execute_async_script(
            FIND
            + "panel.content.mode = 'command'; panel.content.activeCellIndex = index; panel.content.activate();"
            "panel.content.scrollToItem(index, 'start').then(arguments[1], arguments[1]);",
            cell_id,
        )

    def press(self, *keys: str) -> None:
        actions = ActionChains(self.driver)
        for key in keys[:-1]:
            actions.key_down(key)
        actions.send_keys(keys[-1])
        for key in keys[:-1]:
            actions.key_up(key)
        actions.perform()

    def paste(self, cell_id: str, text: str) -> None:
        """Replace what stands in a cell, as a paste does."""
        self.select(cell_id)
        self.press(Keys.ENTER)
        self.press(Keys.CONTROL, "a")
        self.driver.execute_cdp_cmd("Input.insertText", {"text": text})
        assert self.source(cell_id) == text

    def source(self, cell_id: str) -> str:
        return self.driver.execute_script(FIND + "return cell.model.sharedModel.getSource()", cell_id)

    def run(self, cell_id: str) -> None:
        self.select(cell_id)
        self.press(Keys.CONTROL, Keys.ENTER)

    def shown(self, cell_id: str) -> str:
        """What stands on the page under a cell."""
        return self.driver.execute_script(FIND + "return cell.outputArea.node.innerText", cell_id)

    def unfold(self, cell_id: str) -> None:
        self.driver.execute_script(FIND + "cell.outputArea.node.querySelector('summary').click()", cell_id)

    def wait_for(self, cell_id: str, text: str) -> str:
        self._until(lambda _: text in self.shown(cell_id))
        return self.shown(cell_id)

    def wait_until_run(self, cell_id: str) -> None:
        self._until(
            lambda _: self.driver.execute_script(FIND + "return cell.model.executionCount !== null", cell_id)
        )

    def theme(self, name: str) -> None:
        self.driver.execute_async_script(
            "jupyterapp.commands.execute('apputils:change-theme', {theme: arguments[0]}).then(arguments[1])",
            name,
        )
        light = "return document.body.dataset.jpThemeLight"
        wanted = "false" if "Dark" in name else "true"
        self._until(lambda driver: driver.execute_script(light) == wanted)

    def photograph(self, cell_id: str, file: Path) -> None:
        self.select(cell_id)
        file.parent.mkdir(parents=True, exist_ok=True)
        assert self.driver.save_screenshot(str(file))
