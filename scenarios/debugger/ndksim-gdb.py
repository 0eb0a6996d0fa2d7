# SPDX-License-Identifier: Apache-2.0
"""Simulated threads for gdb: `ndksim tasks`, `ndksim bt N`, `ndksim bt all`.

Contexts of the simulation are coroutines, which `info threads` does not show. The program says in
`sim_debug_layout` where it keeps them, so that neither its debug information nor a call into it is
needed; a core file will do. `--gdb` loads this file; in another gdb: `source .../ndksim-gdb.py`.
"""
import struct

import gdb  # pylint: disable=import-error

STATES = ("ready", "running", "waits", "spins", "done")
LAYERS = ("thread", "dpc", "interrupt")
# What a switch leaves on the stack, from the stack pointer on (sim/switch_*.S), and its size.
SAVED = {
    "i386:x86-64": (("r15", "r14", "r13", "r12", "rbx", "rbp", "rip"), 56),
    "aarch64": (tuple(f"x{n}" for n in range(19, 31)), 160),
}


def memory(address, size):
    return bytes(gdb.selected_inferior().read_memory(address, size))


def word(address):
    return struct.unpack("<Q", memory(address, 8))[0]


def number(address):
    return struct.unpack("<I", memory(address, 4))[0]


def text(address):
    found = b""
    while address and not found.endswith(b"\0") and len(found) < 256:
        found += memory(address + len(found), 1)
    return found.rstrip(b"\0").decode(errors="replace")


class Layout:
    """The words of sim_debug_layout, in their order (sim/world.c)."""

    NAMES = ("version", "active", "running", "world", "live_first", "live_next", "stack_pointer",
             "cpu", "why", "what", "state", "layer", "level", "label", "owner", "index", "naming",
             "call")

    def __init__(self):
        at = int(gdb.parse_and_eval("(unsigned long)&sim_debug_layout"))
        for place, name in enumerate(self.NAMES):
            setattr(self, name, word(at + 8 * place))
        if self.version != 1:
            raise gdb.GdbError("another version of ndksim than this file is for")


def name_of(layout, thing):
    if not thing:
        return ""
    label, owner = text(word(thing + layout.label)), word(thing + layout.owner)
    index, naming = number(thing + layout.index), memory(thing + layout.naming, 1)[0]
    whole = name_of(layout, owner) + "." + label if owner else label
    return whole + (f"[{index}]", str(index), "")[naming]


def tasks(layout):
    outer = word(layout.active)
    world = word(outer + layout.world) if outer else 0
    if not world:
        raise gdb.GdbError("no world is there yet (or any more)")
    task = word(world + layout.live_first)
    while task:
        layer = number(task + layout.layer)
        if LAYERS[layer] == "thread" or word(task + layout.call):
            yield task
        task = word(task + layout.live_next)


def say(layout, place, task):
    running = word(layout.running) == task
    state = "running" if running else STATES[number(task + layout.state)]
    line = (f"{'*' if running else ' '} {place:<3} {name_of(layout, task):<28} "
            f"{name_of(layout, word(task + layout.cpu)):<14} "
            f"{LAYERS[number(task + layout.layer)]:<9} {state}")
    if state == "waits":
        line += f" in {text(word(task + layout.why))}"
    if state in ("waits", "spins") and word(task + layout.what):
        line += f", {name_of(layout, word(task + layout.what))}"
    print(line.rstrip())


def put(registers):
    """Each change makes other frames of the stack; registers are the innermost one's."""
    for name, value in registers.items():
        gdb.execute("select-frame 0", to_string=True)
        gdb.execute(f"set ${name} = {value}")


def backtrace(layout, task):
    if word(layout.running) == task:
        gdb.execute("bt")
        return
    frame = gdb.newest_frame()
    frame.select()
    architecture = frame.architecture().name()
    if architecture not in SAVED:
        raise gdb.GdbError(f"stacks of {architecture} are not known")
    registers, size = SAVED[architecture]
    stack = word(task + layout.stack_pointer)
    wanted = {name: word(stack + 8 * place) for place, name in enumerate(registers)}
    if architecture == "aarch64":
        wanted["pc"] = wanted["x30"]
        wanted["sp"] = stack + size
    else:
        wanted["rsp"] = stack + size
    before = {name: int(gdb.parse_and_eval(f"(unsigned long)${name}")) for name in wanted}
    try:
        put(wanted)
        gdb.execute("bt")
    finally:
        put(before)


class Prefix(gdb.Command):
    """The simulation's contexts: ndksim tasks, ndksim bt N."""

    def __init__(self):
        super().__init__("ndksim", gdb.COMMAND_STATUS, prefix=True)


class Tasks(gdb.Command):
    """Simulated threads, and DPCs and interrupts that run: number, name, CPU, state."""

    def __init__(self):
        super().__init__("ndksim tasks", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        del argument, from_tty
        layout = Layout()
        for place, task in enumerate(tasks(layout)):
            say(layout, place, task)


class Backtrace(gdb.Command):
    """The stack of a simulated thread: ndksim bt N, or all."""

    def __init__(self):
        super().__init__("ndksim bt", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        del from_tty
        layout, known = Layout(), list(tasks(Layout()))
        wanted = argument.strip()
        if wanted != "all" and not (wanted.isdigit() and int(wanted) < len(known)):
            raise gdb.GdbError("a number of `ndksim tasks`, or all")
        for place, task in enumerate(known):
            if wanted in ("all", str(place)):
                say(layout, place, task)
                backtrace(layout, task)


Prefix()
Tasks()
Backtrace()
