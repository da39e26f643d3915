"""Every sentence that the set-up says, in Spanish and in English, chosen before anything is installed.

`text(name, **facts)` returns one of them; `Stop` is raised with one that ends the command: what is missing, then what to do.
Runs on a bare Python 3.8, so that an unsupported version can still be told so. Knows nothing of how things are set up.
"""

from __future__ import annotations

import os

TEXTS = {
    "wrong python": (
        "Goodput necesita Python 3.11, 3.12 o 3.13 y este es {version}: instala uno (en Debian, apt-get install "
        "python3 python3-venv; en cualquier sistema, conda env create -f environment.yml) o nómbralo con PYTHON=/ruta.",
        "Goodput needs Python 3.11, 3.12 or 3.13 and this is {version}: install one (on Debian, apt-get install "
        "python3 python3-venv; anywhere, conda env create -f environment.yml) or name it with PYTHON=/path.",
    ),
    "not linux": (
        "Goodput necesita Linux (en Windows sirve WSL2): el evaluador aísla las respuestas con funciones de su kernel.",
        "Goodput needs Linux (on Windows, WSL2 will do): the grader isolates answers with features of its kernel.",
    ),
    "no venv module": (
        "A {python} le falta el módulo venv: instálalo (en Debian y Ubuntu, apt-get install python{version}-venv) "
        "y repite el comando.",
        "{python} lacks the venv module: install it (on Debian and Ubuntu, apt-get install python{version}-venv) "
        "and repeat the command.",
    ),
    "no tool": (
        "Falta {tool}: instálalo (en Debian y Ubuntu, apt-get install {package}) y repite el comando.",
        "{tool} is missing: install it (on Debian and Ubuntu, apt-get install {package}) and repeat the command.",
    ),
    "current lacks": (
        "GOODPUT_ENV=current: en {python} falta lo siguiente: {names}; instálalo ahí, o quita GOODPUT_ENV para usar .venv.",
        "GOODPUT_ENV=current: {python} lacks {names}; install it there, or unset GOODPUT_ENV to use .venv.",
    ),
    "not a venv": (
        "{path} existe y no es un entorno virtual: muévelo a otro sitio y repite el comando.",
        "{path} exists and is not a virtual environment: move it elsewhere and repeat the command.",
    ),
    "venv failed": (
        "No se pudo crear .venv: {reason}",
        ".venv could not be created: {reason}",
    ),
    "pip failed": (
        "pip no pudo terminar: {reason}\nRevisa la red y el espacio en disco, y repite el comando. Detalle: {log}",
        "pip could not finish: {reason}\nCheck the network and the free disk space, then repeat the command. Details: {log}",
    ),
    "no torch": (
        "pip no encuentra torch {version} para este Python; revisa la red, o usa un Python que ya lo tenga: "
        "GOODPUT_ENV=current PYTHON=/ruta.",
        "pip finds no torch {version} for this Python; check the network, or use a Python that already has it: "
        "GOODPUT_ENV=current PYTHON=/path.",
    ),
    "cuda build only": (
        "Aquí no hay GPU de NVIDIA y, para este Python, pip solo encuentra la compilación de torch {version} con CUDA "
        "(varios GB).\nNombra un índice con compilaciones para CPU, TORCH_INDEX=URL (lo muestra la página «Start "
        "Locally» de PyTorch al elegir CPU),\nprueba otro Python, por ejemplo PYTHON=python3.11, o acepta la descarga "
        "con ALLOW_CUDA_WHEELS=1.",
        "There is no NVIDIA GPU here and, for this Python, pip finds only the CUDA build of torch {version} (several "
        'GB).\nName an index that has CPU builds, TORCH_INDEX=URL (PyTorch\'s page "Start Locally" shows it when you '
        "choose CPU),\ntry another Python, for example PYTHON=python3.11, or accept the download with "
        "ALLOW_CUDA_WHEELS=1.",
    ),
    "interrupted": (
        "Interrumpido; el próximo comando retoma la preparación.",
        "Interrupted; the next command takes the set-up on from there.",
    ),
    "waiting": (
        "otro comando está preparando .venv; se espera a que termine",
        "another command is preparing .venv; waiting for it",
    ),
    "rebuilding": (
        ".venv quedó a medias, se movió o es de otro Python: se crea de nuevo",
        ".venv was cut off half-way, was moved or is of another Python: making it anew",
    ),
    "creating": ("creando .venv con Python {version}", "creating .venv with Python {version}"),
    "updating pip": ("actualizando pip", "bringing pip up to date"),
    "cpu build": (
        "sin GPU: buscando la compilación para CPU de torch {version}",
        "no GPU: looking for the CPU build of torch {version}",
    ),
    "what torch brings": (
        "preguntando qué traería torch {version}, sin descargarlo",
        "asking what torch {version} would bring, without downloading it",
    ),
    "collecting": (
        "buscando paquetes (la primera vez tarda unos minutos)",
        "looking up packages (the first time takes a few minutes)",
    ),
    "downloading": ("descargando {wheel} ({megabytes:.0f} MB)", "downloading {wheel} ({megabytes:.0f} MB)"),
    "installing": ("instalando {count} paquetes", "installing {count} packages"),
    "in place": ("instalando: {count} paquetes ya en su sitio", "installing: {count} packages in place"),
    "still": ("sigue en marcha: {doing}", "still at it: {doing}"),
    "made": ("hecho; el próximo comando ya lo encuentra", "done; the next command finds it"),
    "ready": ("entorno listo: {python}", "environment ready: {python}"),
}


class Stop(Exception):
    """The command cannot go on; the text says what is missing and what to do about it."""


def language() -> str:
    """GOODPUT_LANG (the Makefile's L=), else the language of the terminal, else English."""
    for name in ("GOODPUT_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        asked = os.environ.get(name, "").lower()[:2]
        if asked in ("es", "en"):
            return asked
    return "en"


def text(name: str, **facts: object) -> str:
    spanish, english = TEXTS[name]
    return (spanish if language() == "es" else english).format(**facts)
