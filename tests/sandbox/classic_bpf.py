"""Runs classic BPF as the kernel would, so that a filter's verdicts can be read without loading it."""

import functools
import struct


@functools.cache
def decoded(program):
    return list(struct.iter_unpack("<HBBI", program))


def interpret(program, data):
    """The verdict on one ``struct seccomp_data``."""
    accumulator, position, code = 0, 0, decoded(program)
    while True:
        operation, when_true, when_false, value = code[position]
        position += 1
        match operation:
            case 0x20:
                accumulator = struct.unpack_from("<I", data, value)[0]
            case 0x54:
                accumulator &= value
            case 0x05:
                position += value
            case 0x15:
                position += when_true if accumulator == value else when_false
            case 0x25:
                position += when_true if accumulator > value else when_false
            case 0x35:
                position += when_true if accumulator >= value else when_false
            case 0x45:
                position += when_true if accumulator & value else when_false
            case 0x06:
                return value
            case _:
                raise AssertionError(f"unknown operation {operation:#x}")


def seccomp_data(number, audit, arguments):
    """What the kernel shows a filter of one call."""
    padded = [argument & (2**64 - 1) for argument in (*arguments, *[0] * 6)][:6]
    return struct.pack("<IIQ6Q", number, audit, 0, *padded)
