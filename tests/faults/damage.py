# SPDX-License-Identifier: Apache-2.0
"""Ways to damage a folder of files. A damage is text, NAME:FILE:..., places in it are thousandths of the file."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

PACKET_HEAD_BYTES = 88


def offset(data: bytes, thousandths: str) -> int:
    return min(len(data) - 1, len(data) * int(thousandths) // 1000) if data else 0


def change(path: Path, how: Callable[[bytearray], bytes | bytearray]) -> None:
    path.write_bytes(how(bytearray(path.read_bytes())))


def flip(folder: Path, name: str, at: str, bit: str) -> None:
    def one(data: bytearray) -> bytearray:
        if data:
            data[offset(data, at)] ^= 1 << int(bit)
        return data
    change(folder / name, one)


def word(folder: Path, name: str, at: str, value: str) -> None:
    """A word of 32 bits, where a stream has its words."""
    def one(data: bytearray) -> bytearray:
        place = offset(data, at) // 4 * 4
        data[place:place + 4] = int(value).to_bytes(4, "little")
        return data
    change(folder / name, one)


def head(folder: Path, name: str, at: str, value: str) -> None:
    """A field of 64 bits of the first packet's head, by its offset in bytes."""
    def one(data: bytearray) -> bytearray:
        data[int(at):int(at) + 8] = (int(value) % 2**64).to_bytes(8, "little")
        return data
    change(folder / name, one)


def stamp(folder: Path, name: str, at: str) -> None:
    """An event whose stamp (2^63) is given in full, as an extended header has it."""
    def one(data: bytearray) -> bytearray:
        place = max(PACKET_HEAD_BYTES, offset(data, at) // 4 * 4)
        data[place:place + 16] = b"".join(n.to_bytes(4, "little") for n in (31, 8, 0, 1 << 31))
        return data
    change(folder / name, one)


def zero(folder: Path, name: str, at: str, size: str) -> None:
    def one(data: bytearray) -> bytearray:
        place = offset(data, at)
        end = min(len(data), place + int(size))
        data[place:end] = bytes(end - place)
        return data
    change(folder / name, one)


def cut(folder: Path, name: str, at: str) -> None:
    change(folder / name, lambda data: data[:len(data) * int(at) // 1000])


def drop(folder: Path, name: str, at: str, size: str) -> None:
    """Bytes out of the midst."""
    change(folder / name, lambda data: data[:offset(data, at)] + data[offset(data, at) + int(size):])


def append(folder: Path, name: str, size: str) -> None:
    change(folder / name, lambda data: data + bytes(range(256)) * (int(size) // 256 + 1))


def repeat(folder: Path, name: str) -> None:
    """All of the file once more behind itself: the packets are there twice."""
    change(folder / name, lambda data: data + data)


def copy(folder: Path, name: str, to: str) -> None:
    shutil.copyfile(folder / name, folder / to)


def swap(folder: Path, name: str, other: str) -> None:
    first, second = (folder / name).read_bytes(), (folder / other).read_bytes()
    (folder / name).write_bytes(second)
    (folder / other).write_bytes(first)


def remove(folder: Path, name: str) -> None:
    (folder / name).unlink()


def replace(folder: Path, name: str, by: str) -> None:
    """By what is no file."""
    path = folder / name
    path.unlink(missing_ok=True)
    if by == "fifo":
        os.mkfifo(path)
    elif by == "folder":
        path.mkdir()
    elif by == "zeros":
        path.symlink_to("/dev/zero")
    elif by == "loop":
        path.symlink_to(path.name)
    else:
        path.write_bytes(b"" if by == "empty" else b"\xff\xfe\x00" * 1000)


def nest(folder: Path, name: str, depth: str, opening: str = "[") -> None:
    text = {"[": "[", "object": '{"a":'}[opening]
    (folder / name).write_text(text * int(depth))


def nest_field(folder: Path, name: str, key: str, depth: str) -> None:
    """Valid JSON, but for its depth: in the place of a field's value."""
    text = json.loads((folder / name).read_text())
    text[key] = "@"
    whole = json.dumps(text).replace('"@"', "[" * int(depth) + "]" * int(depth))
    (folder / name).write_text(whole)


def set_field(folder: Path, name: str, key: str, value: str) -> None:
    """A field of run.json, its parts parted by /; the value is JSON without commas and pluses."""
    text = json.loads((folder / name).read_text())
    size = (folder / name).stat().st_size
    inner = text
    *way, last = key.split("/")
    for part in way:
        inner = inner[part]
    inner[last] = json.loads(value)
    (folder / name).write_text(json.dumps(text, indent=1).ljust(size))


def line(folder: Path, name: str, at: str, how: str) -> None:
    """A line of a text file: doubled, dropped, or turned into something else."""
    lines = (folder / name).read_text(errors="replace").splitlines(True)
    if not lines:
        return
    place = min(len(lines) - 1, len(lines) * int(at) // 1000)
    if how == "double":
        lines.insert(place, lines[place])
    elif how == "drop":
        del lines[place]
    elif how == "deep":
        lines[place] = '{"a": ' * 100000 + "\n"
    elif how == "long":
        lines[place] = '{"kernel": "' + "x" * 5_000_000 + '"}\n'
    else:
        lines[place] = '{"id": 1e400, "duration": -1, "after": [18446744073709551616]}\n'
    (folder / name).write_text("".join(lines))


DAMAGES: dict[str, Callable] = {
    "flip": flip, "word": word, "head": head, "stamp": stamp, "zero": zero, "cut": cut, "drop": drop, "append": append,
    "repeat": repeat, "copy": copy, "swap": swap, "remove": remove, "replace": replace, "nest": nest,
    "nest-field": nest_field, "set": set_field, "line": line}


def is_plain(path: Path) -> bool:
    return path.is_file() and not (path.is_symlink() and path.name != "store.json")


def do_damage(folder: Path, text: str) -> None:
    """Of what an earlier damage took away nothing is done."""
    name, *words = text.split(":")
    needed = [folder / file for file in (words[:2] if name in ("swap", "copy") else words[:1])]
    if name in ("copy", "nest", "replace"):  # may be new
        needed = [path for path in needed if path != needed[-1] or os.path.lexists(path)]
    if all(is_plain(path) for path in needed):
        DAMAGES[name](folder, *words)
