"""A disk of 512 bytes whose machine code says a line on the serial port, then powers off or halts."""

from __future__ import annotations

AGAIN = bytes.fromhex("ebdf")  # jmp xor, where the line is begun anew
POWER_OFF = bytes.fromhex("ba0406" "b80020" "ef")  # mov dx, 0x604; mov ax, 0x2000; out dx, ax


# mov ax, 0x0301 (write one sector); mov cx, 2; mov bx, 0x7c00; mov dh, 0; int 0x13: the first code over the second sector
WRITE = bytes.fromhex("31c0" "8ec0" "b80103" "b90200" "bb007c" "b600" "cd13")


def boot_sector(line: bytes, *, power_off: bool, writes: bool = False, for_ever: bool = False) -> bytes:
    """Real-mode code at 0x7c00: perhaps writes to its disk; for each byte waits until the port is free, then sends it.

    ``for_ever`` says the line again and again.
    """
    code = (WRITE if writes else b"") + bytes.fromhex(
        "fa"        # cli
        "31c0"      # xor ax, ax
        "8ed8"      # mov ds, ax
        "be0000"    # mov si, the line
        "ac"        # next: lodsb
        "84c0"      # test al, al
        "7412"      # jz done
        "88c4"      # mov ah, al
        "bafd03"    # mov dx, 0x3fd
        "ec"        # wait: in al, dx
        "a820"      # test al, 0x20
        "74fb"      # jz wait
        "88e0"      # mov al, ah
        "baf803"    # mov dx, 0x3f8
        "ee"        # out dx, al
        "ebe9"      # jmp next
    )
    code += AGAIN if for_ever else (POWER_OFF if power_off else b"") + bytes.fromhex("f4ebfd")  # halt: hlt; jmp halt
    place = 0x7C00 + len(code)
    code = code.replace(b"\xbe\x00\x00", b"\xbe" + place.to_bytes(2, "little"))
    return (code + line + b"\0").ljust(510, b"\0") + b"\x55\xaa"
