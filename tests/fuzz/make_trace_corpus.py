#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the corpora of stream_reader_fuzz, run_folder_fuzz and run_file_fuzz, and what is nested too deeply in others: make_trace_corpus.py (into corpus/ beside it).

Few and small: what a recorder writes, from which the fuzzers make what it does not."""
import json
import os
import struct

TASK_CREATE, TASK_CREATE_FLAGGED, SWITCH_OWN, SWITCH, TASK_END, DETACH, FULFILL = range(1, 8)
WAIT_BEGIN, WAIT_END, DEPEND_WAIT_END, GROUP_BEGIN, GROUP_WAIT, GROUP_END = range(8, 14)
BARRIER_BEGIN, BARRIER_END, REGION_BEGIN, REGION_END, IMPLICIT_BEGIN, IMPLICIT_END = range(14, 20)
DEPENDENCES, LOCK_WAIT, LOCK_ACQUIRED, LOCK_RELEASED, CODE_HIGH, TOOL_TIME, THREAD_BEGIN, THREAD_END = range(20, 28)
TASK_CANCEL, TASK_CREATE_FAR, TASK_COUNTERS, EXTENDED, TASK_KERNEL, TASK_PARAMETER, KERNEL_SAMPLE = range(28, 35)
ACCESSES, BLOCK_BEGIN, BLOCK_END, MESSAGE_SENT, MESSAGE_RECEIVED, COLLECTIVE_ENTER, COLLECTIVE_LEAVE, \
    CANCEL, LOOP_BEGIN, LOOP_CHUNKS, LOOP_END, THREAD_TIMES, CODE_SAMPLE, GRANULARITY, SUBTREE, TASK_TAKEN = range(35, 51)
KINDS = 50  # that run_folder_fuzz chooses from
NONE = 0xFFFFFFFF
WORDS = [0, 1, 2, 1, 2, 0, 0, 2, 0, 0, 2, 0, 0, 0, 0, 0, 2, 2, 4, 2, 0, 3, 2, 2, 1, 2, 2, 0, 2, 2, 0, 0, 0, 3, 0, 0,
         1, 0, 6, 7, 9, 3, 1, 8, 7, 0, 7, 6, 6, 0, 4]
SEQUENCES = {DEPENDENCES: [2, 1, 0, 1, 2, 0, 3], TASK_COUNTERS: [2, 100, 0, 7, 1],
             TASK_KERNEL: [1, 2, 0, 0x3FF00000, 0, 0x40000000], KERNEL_SAMPLE: [1, 0, 0x40590000, 1, 0, 0x3FF00000],
             ACCESSES: [2, 1, 0, 8, 0, 1, 5, 0, 8, 0, 3],
             SUBTREE: [9, 2, 0, 1, 0, 3, 2, 1, 0, 2, 5, 7, 0, 1, 1]}


MASK = (1 << 64) - 1
FACTOR = 11400714819323198485


def checksum(content):
    """docs/trace_format.md, "The checksum"."""
    def step(state, word):
        state ^= word
        return ((state << 29 | state >> 35) & MASK) * FACTOR & MASK

    lanes = [(i + 1) * FACTOR & MASK for i in range(8)]
    padded = content + bytes(-len(content) % 8)
    for i, word in enumerate(struct.unpack("<%dQ" % (len(padded) // 8), padded)):
        lanes[i % 8] = step(lanes[i % 8], word)
    total = len(content)
    for lane in lanes:
        total = step(total, lane)
    return total ^ total >> 32 or 1


class Stream:
    """Of format version 1, or 2: with a checksum in each packet's head, 0 where the process was killed."""

    def __init__(self, index, version=1, finished=True):
        self.version, self.finished = version, finished
        self.index, self.packets, self.events, self.begin, self.last = index, b"", b"", 1000, 1000
        self.tasks = self.regions = self.code = self.sequence = 0
        self.head = (0, 0, 0)

    def add(self, ticks, kind, *words, long=False):
        if long or ticks - self.last >= 1 << 27 or kind > EXTENDED:
            self.events += struct.pack("<IIQ", 31, kind, ticks)
        else:
            self.events += struct.pack("<I", kind | (ticks << 5) & 0xFFFFFFFF)
        self.events += struct.pack("<%dI" % len(words), *words)
        self.last = ticks
        self.tasks += kind in (TASK_CREATE, TASK_CREATE_FLAGGED, TASK_CREATE_FAR, IMPLICIT_BEGIN)
        self.regions += kind == REGION_BEGIN
        self.code = words[0] if kind == CODE_HIGH else self.code

    def end_packet(self, free=0):
        content = (80 if self.version == 1 else 88) + len(self.events)
        size = (content + free + 7) // 8 * 8
        head = struct.pack("<I16sIQQQQQIIII", 0xC1FC1FC1, bytes(range(16)), self.version, self.begin, content * 8,
                           size * 8, 0, self.sequence, self.index, *self.head)
        if self.version != 1:
            value = checksum(head + bytes(8) + self.events) if self.finished else 0
            head += struct.pack("<Q", value)
        self.packets += head + self.events + bytes(size - content)
        self.events, self.begin, self.sequence = b"", self.last, self.sequence + 1
        self.head = (self.tasks, self.regions, self.code)

    def bytes(self):
        if self.events:
            self.end_packet()
        return self.packets


def every_event(version=1):
    s = Stream(0, version)
    for kind, words in enumerate(WORDS):
        if kind == 10:
            s.end_packet(free=24)
        if kind not in (0, EXTENDED):
            s.add(1000 + 10 * kind, kind, *SEQUENCES.get(kind, [1] * words))
    s.end_packet()
    s.add(1 << 40, WAIT_BEGIN)
    s.add((1 << 40) + 5, WAIT_END, long=True)
    return s.bytes()


def two_workers(version=1, finished=True):
    a, b = Stream(0, version), Stream(1, version, finished)
    a.add(1000, IMPLICIT_BEGIN, NONE, NONE, 1, 0)
    a.add(1010, REGION_BEGIN, 0x9000, 2)
    a.add(1020, IMPLICIT_BEGIN, 0, 0, 2, 0)
    b.add(1025, IMPLICIT_BEGIN, 0, 0, 2, 1)
    a.add(1030, TASK_CREATE, 0x1000)
    b.add(1035, BARRIER_BEGIN)
    a.add(1040, TASK_CREATE_FLAGGED, 0x1000, 16)
    a.add(1040, DEPENDENCES, 1, 0x100, 0, 3)
    b.add(1045, SWITCH, 2, 0)
    a.end_packet()
    a.add(1050, BARRIER_BEGIN)
    a.add(1055, SWITCH_OWN, 3)
    b.add(1065, TASK_END)
    a.add(1075, TASK_END)
    a.add(1080, BARRIER_END)
    b.add(1082, BARRIER_END)
    a.add(1090, IMPLICIT_END, 1, 0)
    a.add(1100, REGION_END, 0, 0)
    a.add(1110, IMPLICIT_END, 0, 0)
    return a.bytes(), b.bytes()


def as_bytes(*streams):
    lengths = [len(s) for s in streams[:-1]] + [0, 0]
    return struct.pack("<BHH", len(streams) - 1 | 4, *lengths[:2]) + b"".join(streams)


def as_events(workers, *events):
    """Events of run_folder_fuzz: (worker, ticks since the one before, kind, words...)."""
    out = bytes([128 | 2 << 3 | workers - 1])
    for worker, ticks, kind, *words in events:
        out += bytes([KINDS * worker + kind - 1, ticks, 0, *words])
    return out


TEAM = [(0, 0, IMPLICIT_BEGIN, 255, 255, 1, 0), (0, 10, REGION_BEGIN, 9, 2), (0, 10, IMPLICIT_BEGIN, 0, 0, 2, 0),
        (1, 0, IMPLICIT_BEGIN, 0, 0, 2, 1)]
END = [(0, 5, BARRIER_BEGIN), (1, 5, BARRIER_BEGIN), (0, 5, BARRIER_END), (1, 1, BARRIER_END), (0, 5, IMPLICIT_END, 1, 0),
       (0, 5, REGION_END, 0, 0), (0, 5, IMPLICIT_END, 0, 0)]
CREATE = (0, 10, TASK_CREATE, 1)
SEEDS = {
    "group": [CREATE, (0, 5, GROUP_BEGIN), CREATE, (0, 5, GROUP_WAIT), (1, 5, SWITCH, 3, 0), (1, 5, TASK_CREATE, 2),
              (1, 5, TASK_END), (0, 5, SWITCH, 1, 1), (0, 5, TASK_END), (0, 5, GROUP_END), (0, 5, WAIT_BEGIN),
              (0, 5, SWITCH_OWN, 2), (0, 5, TASK_END), (0, 5, WAIT_END)],
    "cancelled_group": [(0, 5, GROUP_BEGIN), CREATE, CREATE, CREATE, (0, 5, GROUP_WAIT), (1, 5, SWITCH, 2, 0),
                        (0, 5, SWITCH_OWN, 3), (1, 5, CANCEL, 24), (1, 5, TASK_CANCEL, 2, 0), (0, 5, CANCEL, 40),
                        (0, 5, TASK_CANCEL, 3, 0), (0, 5, TASK_CANCEL, 4, 0), (0, 5, GROUP_END)],
    "dependences": [(0, 5, TASK_CREATE_FLAGGED, 1, 16), (0, 1, DEPENDENCES, 2, 8, 0, 3, 9, 0, 1),
                    (0, 5, TASK_CREATE_FLAGGED, 1, 16), (0, 1, DEPENDENCES, 1, 8, 0, 4),
                    (0, 5, TASK_CREATE_FLAGGED, 1, 16), (0, 1, DEPENDENCES, 2, 8, 0, 4, 8, 0, 1),
                    (0, 5, TASK_CREATE_FLAGGED, 1, 48), (0, 1, DEPENDENCES, 1, 0, 0, 35), (1, 5, SWITCH, 2, 0),
                    (1, 5, TASK_END), (1, 5, SWITCH, 3, 0), (1, 5, TASK_END), (1, 5, SWITCH, 4, 0), (1, 5, TASK_END),
                    (0, 5, DEPEND_WAIT_END, 5, 0)],
    "detach_untied_lock": [(0, 5, TASK_CREATE_FLAGGED, 1, 1), CREATE, (0, 5, SWITCH_OWN, 2), (0, 5, SWITCH_OWN, 1),
                           (1, 5, SWITCH, 2, 0), (1, 5, LOCK_WAIT, 1, 0, 5), (1, 5, LOCK_ACQUIRED, 1, 0),
                           (1, 5, LOCK_RELEASED, 1, 0), (1, 5, TASK_END), (0, 5, SWITCH_OWN, 3), (0, 5, DETACH),
                           (1, 5, FULFILL, 3, 0), (1, 5, TOOL_TIME, 3, 0)],
    "counters_kernels": [CREATE, (0, 1, TASK_KERNEL, 3, 2, 0, 5, 0, 6), CREATE, (0, 1, TASK_COUNTERS, 2, 9, 0, 8, 0),
                         (0, 5, WAIT_BEGIN), (0, 1, TASK_COUNTERS, 0), (0, 5, SWITCH_OWN, 2),
                         (1, 5, SWITCH, 3, 0), (0, 1, TASK_PARAMETER, 1, 0, 7), (0, 1, TASK_COUNTERS, 2, 1, 0, 255, 255),
                         (0, 5, TASK_END), (1, 5, TASK_COUNTERS, 1, 4, 0), (1, 5, TASK_END), (0, 5, WAIT_END),
                         (1, 1, KERNEL_SAMPLE, 3, 0, 9, 1, 0, 5)],
    "loops": [(0, 5, LOOP_BEGIN, 7, 0, 1, 3, 9, 0, 2, 0), (1, 5, LOOP_BEGIN, 7, 0, 1, 3, 9, 0, 2, 0),
              (0, 5, LOOP_CHUNKS, 2, 4, 0, 0, 0, 5, 0), (1, 5, LOOP_CHUNKS, 3, 5, 0, 2, 0, 8, 0), (0, 1, LOOP_END),
              (1, 1, LOOP_END), (0, 5, LOOP_BEGIN, 8, 0, 3, 0, 1, 0, 0, 0), (0, 5, LOOP_END),
              (1, 5, LOOP_BEGIN, 9, 0, 1, 0, 9, 0, 0, 0), (1, 5, LOOP_CHUNKS, 1, 9, 0, 255, 255, 7, 0)],
    "taskloop": [(0, 5, LOOP_BEGIN, 7, 0, 5, 5, 9, 0, 0, 0), (0, 5, TASK_CREATE_FLAGGED, 1, 64),
                 (0, 5, TASK_CREATE_FLAGGED, 1, 64), (1, 5, SWITCH, 2, 0), (1, 5, TASK_END), (1, 5, SWITCH, 3, 0),
                 (1, 9, TASK_END)],
    "thread_times": [(0, 5, THREAD_TIMES, 9, 0, 2, 0, 3, 0, 3), CREATE, (0, 5, SWITCH_OWN, 2), (0, 200, TASK_END),
                     (0, 1, THREAD_TIMES, 190, 0, 20, 0, 0, 0, 0), (1, 250, TASK_CREATE, 2),
                     (1, 1, THREAD_TIMES, 255, 0, 30, 0, 0, 0, 1), (1, 1, TOOL_TIME, 1, 0),
                     (1, 1, THREAD_TIMES, 0, 0, 0, 0, 40, 0, 2), (1, 5, THREAD_TIMES, 255, 255, 1, 0, 255, 255, 3)],
    "subtrees": [CREATE, CREATE, (0, 5, WAIT_BEGIN), (0, 5, SWITCH_OWN, 2), (1, 5, TASK_TAKEN, 7, 0, 2, 0),
                 (1, 1, SWITCH_OWN, 1), (1, 5, TASK_END), (0, 5, SUBTREE, 9, 2, 1, 1, 0, 3, 2, 1, 0, 2, 5, 7, 0, 1, 1),
                 (0, 0, TASK_END), (1, 5, SWITCH, 3, 0), (1, 9, SUBTREE, 4, 0, 0, 0, 0, 0, 1, 1, 0, 2, 5),
                 (1, 0, TASK_END), (0, 5, WAIT_END)],
    "nested": [(0, 5, REGION_BEGIN, 8, 2), (0, 5, IMPLICIT_BEGIN, 1, 0, 2, 0), (0, 5, BARRIER_BEGIN), (0, 5, BARRIER_END),
               (0, 5, IMPLICIT_END, 2, 0), (0, 5, REGION_END, 1, 0)],
}


def write(corpus, name, content):
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus", corpus)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content)


stream = every_event()
write("stream_reader", "every_event", stream)
write("stream_reader", "cut", stream[:-7])
write("stream_reader", "garbage_between", stream[:200] + b"\x55" * 16 + stream[200:])
first, second = two_workers()
write("stream_reader", "two_packets", first)
checked = every_event(2)
write("stream_reader", "checksums", checked)
write("stream_reader", "checksums_cut", checked[:-7])
write("stream_reader", "checksum_wrong", checked[:100] + b"\x55" + checked[101:])
write("stream_reader", "packet_twice", checked + checked)
first_checked, killed = two_workers(2, False)
write("stream_reader", "no_checksum", killed)
write("run_folder", "two_workers_killed", as_bytes(first_checked, killed))
write("run_folder", "one_stream", as_bytes(stream))
write("run_folder", "two_workers", as_bytes(first, second))
write("run_folder", "two_workers_one_missing", as_bytes(b"", second, first))
for name, events in SEEDS.items():
    write("run_folder", name, as_events(2, *TEAM, *events, *END))

RUN = {"foretask_run": 2, "state": "complete", "program": "/usr/bin/app", "command": ["app", "3"], "pid": 4711,
       "started": "2026-01-02T03:04:05Z", "trace_id": "00010203-0405-0607-0809-0a0b0c0d0e0f",
       "clock": {"source": "tsc", "ticks_per_second": 2.3e9, "start": {"ticks": 1000, "monotonic_ns": 5},
                 "end": {"ticks": 2000, "monotonic_ns": 440}, "exit_ns": 500},
       "machine": {"host": "host", "cores": 2, "places": [{"processor": 0, "core": 0}]},
       "modules": [{"path": "/usr/bin/app", "base": 1, "begin": 1, "end": 9, "build_id": "00ff"}],
       "counters": [{"name": "instructions", "status": "ok", "per_read": 2.5}], "streams": 2, "stream_bytes": [96, 0],
       "probe_costs_ns": {"task_create": 20.5}, "params": {"n": "3"}, "losses": {"dropped_events": 0}}
text = json.dumps(RUN, indent=1, sort_keys=True)
write("run_file", "complete", text.encode())
write("run_file", "checksum_wrong", text.replace('{\n', '{\n "checksum": "0123456789abcdef",\n', 1).encode())
write("run_file", "first_version", json.dumps(dict(RUN, foretask_run=1)).encode())
write("run_file", "wrong_types", json.dumps({key: [value] for key, value in RUN.items()} | {"foretask_run": 2}).encode())
write("run_file", "kernels", b'{"kernel": 3, "name": "gemm", "parameters": ["m"]}\n{"kernel": 4, "name": "x"}\n')
for corpus in "run_file", "platform_file", "store_file":
    write(corpus, "deep", b"[" * 20000)
    write(corpus, "deep_objects", b'{"a":' * 20000)
    write(corpus, "deep_whole", b'{"foretask_run":2,"params":' + b"[" * 100 + b"]" * 100 + b"}")
