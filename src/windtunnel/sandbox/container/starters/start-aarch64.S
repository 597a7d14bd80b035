// The first program in a container: takes its filter, waits at the gate, starts the program, tells how it ended.
//
// No libc, no memory but the stack, so that it runs in any image. starter.py writes what is at "config", and the run
// block that is mapped at RUN; both hold ready pointers. Whatever fails before the program is there ends this with 125
// and a word on standard error: never the program without its filter.
//
//      as -o start.o start-aarch64.S && objcopy -O binary -j .text start.o start-aarch64.bin

        .equ    CHDIR, 49
        .equ    OPENAT, 56
        .equ    CLOSE, 57
        .equ    READ, 63
        .equ    WRITE, 64
        .equ    PPOLL, 73
        .equ    EXIT_GROUP, 94
        .equ    SIGPROCMASK, 135
        .equ    SETSID, 157
        .equ    PRCTL, 167
        .equ    SOCKET, 198
        .equ    CONNECT, 203
        .equ    SENDMSG, 211
        .equ    CLONE, 220
        .equ    EXECVE, 221
        .equ    MMAP, 222
        .equ    WAIT4, 260
        .equ    SECCOMP, 277
        .equ    CLOSE_RANGE, 436

        // config
        .equ    FLAGS, 0                // 1: come to the socket; 2: take the filter, and hand its listener over
        .equ    ADDRESS, 8
        .equ    ADDRESS_SIZE, 16
        .equ    GO, 24
        .equ    BLOCK, 32
        .equ    FILTER, 40              // struct sock_fprog

        // run block
        .equ    RUN, 0x20000000
        .equ    RUN_SIZE, 0x1000000
        .equ    FOLDER, 0
        .equ    ARGUMENTS, 8
        .equ    VARIABLES, 16
        .equ    CANDIDATES, 24
        .equ    SHELL, 32
        .equ    SHELL_ARGUMENTS, 40
        .equ    NO_FOLDER, 48           // each a message: pointer, length
        .equ    NOT_FOUND, 64
        .equ    NOT_EXECUTABLE, 80

        // the stack: one frame for all
        .equ    BUFFER, 0
        .equ    HEADER, 16              // struct msghdr
        .equ    VECTOR, 72              // struct iovec
        .equ    CONTROL, 88             // struct cmsghdr and one descriptor
        .equ    MASK, 112
        .equ    STATUS, 120
        .equ    FRAME, 128

        // x19 config, x20 run block, x21 socket, x22 listener or file, x23 error or child, x24 the step that may fail

        .macro  call number
        mov     x8, #\number
        svc     #0
        .endm

        .macro  step name
        adr     x24, \name
        .endm

        .text
_start:
        adr     x19, config
        sub     sp, sp, #FRAME
        mov     x0, sp
        mov     x1, #FRAME
clear:
        str     xzr, [x0], #8
        subs    x1, x1, #8
        b.ne    clear

        mov     x0, #3                  // what an engine left open is not the program's; an old kernel does without
        mov     w1, #-1
        mov     x2, #0
        call    CLOSE_RANGE

        step    rights
        mov     x0, #38                 // PR_SET_NO_NEW_PRIVS
        mov     x1, #1
        mov     x2, #0
        mov     x3, #0
        mov     x4, #0
        call    PRCTL
        cmp     w0, #0
        b.lt    fail

        mov     x21, #-1
        ldr     x9, [x19, #FLAGS]
        tbz     x9, #0, gate

        step    socket
        mov     x0, #1                  // AF_UNIX
        mov     w1, #5                  // SOCK_SEQPACKET | SOCK_CLOEXEC
        movk    w1, #8, lsl #16
        mov     x2, #0
        call    SOCKET
        cmp     w0, #0
        b.lt    fail
        mov     x21, x0
        ldr     x1, [x19, #ADDRESS]
        ldr     x2, [x19, #ADDRESS_SIZE]
        call    CONNECT
        cmp     w0, #0
        b.lt    fail

        mov     x22, #-1
        mov     x23, #0
        ldr     x9, [x19, #FLAGS]
        tbz     x9, #1, hand_over
        mov     x0, #1                  // SECCOMP_SET_MODE_FILTER
        mov     x1, #0x28               // NEW_LISTENER | WAIT_KILLABLE_RECV
        add     x2, x19, #FILTER
        call    SECCOMP
        cmn     w0, #22                 // EINVAL: the second flag is younger than the first
        b.ne    filtered
        mov     x0, #1
        mov     x1, #0x8
        add     x2, x19, #FILTER
        call    SECCOMP
filtered:
        mov     x22, x0
        cmp     w0, #0
        b.ge    hand_over
        neg     w23, w0

hand_over:                              // one byte, the error of the filter or zero, and the listener if there is one
        step    filter
        strb    w23, [sp, #BUFFER]
        add     x9, sp, #BUFFER
        str     x9, [sp, #VECTOR]
        mov     x10, #1
        str     x10, [sp, #VECTOR + 8]
        add     x9, sp, #VECTOR
        str     x9, [sp, #HEADER + 16]
        str     x10, [sp, #HEADER + 24]
        tbnz    w22, #31, send
        mov     x9, #20
        str     x9, [sp, #CONTROL]
        str     w10, [sp, #CONTROL + 8] // SOL_SOCKET
        str     w10, [sp, #CONTROL + 12] // SCM_RIGHTS
        str     w22, [sp, #CONTROL + 16]
        add     x9, sp, #CONTROL
        str     x9, [sp, #HEADER + 32]
        mov     x9, #24
        str     x9, [sp, #HEADER + 40]
send:
        mov     x0, x21
        add     x1, sp, #HEADER
        mov     x2, #0
        call    SENDMSG
        cmp     x0, #1
        b.ne    fail
        cbz     w23, handed
        mov     x0, x21                 // until that is heard: of one that is gone nobody could tell who it was
        add     x1, sp, #BUFFER
        mov     x2, #1
        call    READ
        b       fail
handed:
        tbnz    w22, #31, gate
        mov     x0, x22
        call    CLOSE

gate:                                   // the word to go, or the end of whoever would have given it
        step    gate_word
        mov     x0, #-100               // AT_FDCWD
        ldr     x1, [x19, #GO]
        mov     x2, #0x80000            // O_RDONLY | O_CLOEXEC
        call    OPENAT
        cmp     w0, #0
        b.lt    fail
        mov     x22, x0
        add     x1, sp, #BUFFER
        mov     x2, #8
        call    READ
        cmp     w0, #0
        b.le    fail
        mov     x0, x22
        call    CLOSE

        step    run_word
        mov     x0, #-100
        ldr     x1, [x19, #BLOCK]
        mov     x2, #0x80000
        call    OPENAT
        cmp     w0, #0
        b.lt    fail
        mov     x22, x0
        mov     x0, #RUN
        mov     x1, #RUN_SIZE
        mov     x2, #3                  // PROT_READ | PROT_WRITE
        mov     x3, #0x4012             // MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE
        mov     x4, x22
        mov     x5, #0
        call    MMAP
        mov     x20, #RUN
        cmp     x0, x20
        b.ne    fail
        mov     x0, x22
        call    CLOSE

        step    fork
        mov     x0, #4                  // PR_SET_DUMPABLE: none of the program's processes looks into this one
        mov     x1, #0
        mov     x2, #0
        mov     x3, #0
        mov     x4, #0
        call    PRCTL
        mov     x9, #-1                 // a signal to all is for the program's processes
        str     x9, [sp, #BUFFER]
        mov     x0, #0                  // SIG_BLOCK
        add     x1, sp, #BUFFER
        add     x2, sp, #MASK
        mov     x3, #8
        call    SIGPROCMASK
        mov     x0, #17                 // SIGCHLD
        mov     x1, #0
        mov     x2, #0
        mov     x3, #0
        mov     x4, #0
        call    CLONE
        cmp     w0, #0
        b.lt    fail
        b.eq    child
        mov     x23, x0

        step    wait
again:
        mov     x0, x23
        add     x1, sp, #STATUS
        mov     x2, #0x40000000         // __WALL
        mov     x3, #0
        call    WAIT4
        cmn     w0, #4                  // EINTR
        b.eq    again
        cmp     w0, #0
        b.lt    fail

        tbnz    w21, #31, end
        mov     x0, x21
        add     x1, sp, #STATUS
        mov     x2, #4
        call    WRITE
        str     w21, [sp, #BUFFER]      // struct pollfd: any answer, or that there will be none
        mov     w9, #1
        str     w9, [sp, #BUFFER + 4]
        mov     x9, #5                  // seconds
        str     x9, [sp, #VECTOR]
        str     xzr, [sp, #VECTOR + 8]
        add     x0, sp, #BUFFER
        mov     x1, #1
        add     x2, sp, #VECTOR
        mov     x3, #0
        mov     x4, #8
        call    PPOLL
end:
        ldr     w9, [sp, #STATUS]
        ands    w0, w9, #0x7f
        b.ne    by_signal
        ubfx    w0, w9, #8, #8
        call    EXIT_GROUP
by_signal:
        add     w0, w0, #128
        call    EXIT_GROUP

child:
        mov     x0, #2                  // SIG_SETMASK
        add     x1, sp, #MASK
        mov     x2, #0
        mov     x3, #8
        call    SIGPROCMASK
        call    SETSID
        ldr     x0, [x20, #FOLDER]
        call    CHDIR
        mov     w23, #126
        add     x22, x20, #NO_FOLDER
        cmp     w0, #0
        b.lt    say
        mov     w23, #127
        ldr     x22, [x20, #CANDIDATES]
next:
        ldr     x0, [x22]
        cbz     x0, none
        ldr     x1, [x20, #ARGUMENTS]
        ldr     x2, [x20, #VARIABLES]
        call    EXECVE
        cmn     w0, #8                  // ENOEXEC
        b.eq    script
        cmn     w0, #2                  // ENOENT
        b.eq    other
        cmn     w0, #20                 // ENOTDIR
        b.eq    other
        mov     w23, #126
other:
        add     x22, x22, #8
        b       next
script:                                 // without a first line that names its interpreter
        mov     w23, #126
        ldr     x9, [x22]
        ldr     x1, [x20, #SHELL_ARGUMENTS]
        str     x9, [x1, #8]
        ldr     x0, [x20, #SHELL]
        ldr     x2, [x20, #VARIABLES]
        call    EXECVE
none:
        add     x22, x20, #NOT_FOUND
        cmp     w23, #127
        b.eq    say
        add     x22, x20, #NOT_EXECUTABLE
say:
        mov     x0, #2
        ldr     x1, [x22]
        ldr     x2, [x22, #8]
        call    WRITE
        mov     w0, w23
        call    EXIT_GROUP

fail:
        mov     x0, #2
        adr     x1, cannot
        mov     x2, #cannot_size
        call    WRITE
        mov     x0, #2
        mov     x1, x24
        mov     x2, #8
        call    WRITE
        mov     x0, #125
        call    EXIT_GROUP

cannot: .ascii  "windtunnel: no program was started, for want of its "
        .equ    cannot_size, . - cannot
rights: .ascii  "rights \n"
socket: .ascii  "socket \n"
filter: .ascii  "filter \n"
gate_word: .ascii "gate   \n"
run_word: .ascii "command\n"
fork:   .ascii  "process\n"
wait:   .ascii  "end    \n"
        .balign 8, 0
config:
