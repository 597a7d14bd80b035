# The first program in a container: takes its filter, waits at the gate, starts the program, tells how it ended.
#
# No libc, no memory but the stack, so that it runs in any image. starter.py writes what is at "config", and the run
# block that is mapped at RUN; both hold ready pointers. Whatever fails before the program is there ends this with 125
# and a word on standard error: never the program without its filter.
#
#       as -o start.o start-x86_64.S && objcopy -O binary -j .text start.o start-x86_64.bin

        .equ    READ, 0
        .equ    WRITE, 1
        .equ    CLOSE, 3
        .equ    MMAP, 9
        .equ    SIGPROCMASK, 14
        .equ    SOCKET, 41
        .equ    CONNECT, 42
        .equ    SENDMSG, 46
        .equ    CLONE, 56
        .equ    EXECVE, 59
        .equ    WAIT4, 61
        .equ    CHDIR, 80
        .equ    SETSID, 112
        .equ    PRCTL, 157
        .equ    EXIT_GROUP, 231
        .equ    OPENAT, 257
        .equ    PPOLL, 271
        .equ    SECCOMP, 317
        .equ    CLOSE_RANGE, 436

        # config
        .equ    FLAGS, 0                # 1: come to the socket; 2: take the filter, and hand its listener over
        .equ    ADDRESS, 8
        .equ    ADDRESS_SIZE, 16
        .equ    GO, 24
        .equ    BLOCK, 32
        .equ    FILTER, 40              # struct sock_fprog

        # run block
        .equ    RUN, 0x20000000
        .equ    RUN_SIZE, 0x1000000
        .equ    FOLDER, 0
        .equ    ARGUMENTS, 8
        .equ    VARIABLES, 16
        .equ    CANDIDATES, 24
        .equ    SHELL, 32
        .equ    SHELL_ARGUMENTS, 40
        .equ    NO_FOLDER, 48           # each a message: pointer, length
        .equ    NOT_FOUND, 64
        .equ    NOT_EXECUTABLE, 80

        # the stack: one frame for all
        .equ    BUFFER, 0
        .equ    HEADER, 16              # struct msghdr
        .equ    VECTOR, 72              # struct iovec
        .equ    CONTROL, 88             # struct cmsghdr and one descriptor
        .equ    MASK, 112
        .equ    STATUS, 120
        .equ    FRAME, 128

        .macro  call number
        mov     $\number, %eax
        syscall
        .endm

        .macro  step name
        lea     \name(%rip), %r15
        .endm

        .text
_start:
        lea     config(%rip), %rbx
        sub     $FRAME, %rsp
        xor     %eax, %eax
        mov     %rsp, %rdi
        mov     $FRAME / 8, %ecx
        rep     stosq

        mov     $3, %edi                # what an engine left open is not the program's; an old kernel does without
        mov     $-1, %esi
        xor     %edx, %edx
        call    CLOSE_RANGE

        step    rights
        mov     $38, %edi               # PR_SET_NO_NEW_PRIVS
        mov     $1, %esi
        xor     %edx, %edx
        xor     %r10d, %r10d
        xor     %r8d, %r8d
        call    PRCTL
        test    %eax, %eax
        js      fail

        mov     $-1, %r12
        testb   $1, FLAGS(%rbx)
        jz      gate

        step    socket
        mov     $1, %edi                # AF_UNIX
        mov     $0x80005, %esi          # SOCK_SEQPACKET | SOCK_CLOEXEC
        xor     %edx, %edx
        call    SOCKET
        test    %eax, %eax
        js      fail
        mov     %rax, %r12
        mov     %r12, %rdi
        mov     ADDRESS(%rbx), %rsi
        mov     ADDRESS_SIZE(%rbx), %rdx
        call    CONNECT
        test    %eax, %eax
        js      fail

        mov     $-1, %r13
        xor     %r14d, %r14d
        testb   $2, FLAGS(%rbx)
        jz      hand_over
        mov     $1, %edi                # SECCOMP_SET_MODE_FILTER
        mov     $0x28, %esi             # NEW_LISTENER | WAIT_KILLABLE_RECV
        lea     FILTER(%rbx), %rdx
        call    SECCOMP
        cmp     $-22, %eax              # EINVAL: the second flag is younger than the first
        jne     filtered
        mov     $0x8, %esi
        call    SECCOMP
filtered:
        mov     %rax, %r13
        test    %eax, %eax
        jns     hand_over
        neg     %eax
        mov     %eax, %r14d

hand_over:                              # one byte, the error of the filter or zero, and the listener if there is one
        step    filter
        mov     %r14b, BUFFER(%rsp)
        lea     BUFFER(%rsp), %rax
        mov     %rax, VECTOR(%rsp)
        movq    $1, VECTOR + 8(%rsp)
        lea     VECTOR(%rsp), %rax
        mov     %rax, HEADER + 16(%rsp)
        movq    $1, HEADER + 24(%rsp)
        test    %r13d, %r13d
        js      send
        movq    $20, CONTROL(%rsp)
        movl    $1, CONTROL + 8(%rsp)   # SOL_SOCKET
        movl    $1, CONTROL + 12(%rsp)  # SCM_RIGHTS
        mov     %r13d, CONTROL + 16(%rsp)
        lea     CONTROL(%rsp), %rax
        mov     %rax, HEADER + 32(%rsp)
        movq    $24, HEADER + 40(%rsp)
send:
        mov     %r12, %rdi
        lea     HEADER(%rsp), %rsi
        xor     %edx, %edx
        call    SENDMSG
        cmp     $1, %rax
        jne     fail
        test    %r14d, %r14d
        jz      handed
        mov     %r12, %rdi              # until that is heard: of one that is gone nobody could tell who it was
        lea     BUFFER(%rsp), %rsi
        mov     $1, %edx
        call    READ
        jmp     fail
handed:
        test    %r13d, %r13d
        js      gate
        mov     %r13, %rdi
        call    CLOSE

gate:                                   # the word to go, or the end of whoever would have given it
        step    gate_word
        mov     $-100, %edi             # AT_FDCWD
        mov     GO(%rbx), %rsi
        mov     $0x80000, %edx          # O_RDONLY | O_CLOEXEC
        call    OPENAT
        test    %eax, %eax
        js      fail
        mov     %rax, %r13
        mov     %r13, %rdi
        lea     BUFFER(%rsp), %rsi
        mov     $8, %edx
        call    READ
        test    %eax, %eax
        jle     fail
        mov     %r13, %rdi
        call    CLOSE

        step    run_word
        mov     $-100, %edi
        mov     BLOCK(%rbx), %rsi
        mov     $0x80000, %edx
        call    OPENAT
        test    %eax, %eax
        js      fail
        mov     %rax, %r13
        mov     $RUN, %edi
        mov     $RUN_SIZE, %esi
        mov     $3, %edx                # PROT_READ | PROT_WRITE
        mov     $0x4012, %r10d          # MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE
        mov     %r13, %r8
        xor     %r9d, %r9d
        call    MMAP
        cmp     $RUN, %rax
        jne     fail
        mov     %rax, %rbp
        mov     %r13, %rdi
        call    CLOSE

        step    fork
        mov     $4, %edi                # PR_SET_DUMPABLE: none of the program's processes looks into this one
        xor     %esi, %esi
        xor     %edx, %edx
        xor     %r10d, %r10d
        xor     %r8d, %r8d
        call    PRCTL
        movq    $-1, BUFFER(%rsp)       # a signal to all is for the program's processes
        xor     %edi, %edi              # SIG_BLOCK
        lea     BUFFER(%rsp), %rsi
        lea     MASK(%rsp), %rdx
        mov     $8, %r10d
        call    SIGPROCMASK
        mov     $17, %edi               # SIGCHLD
        xor     %esi, %esi
        xor     %edx, %edx
        xor     %r10d, %r10d
        xor     %r8d, %r8d
        call    CLONE
        test    %eax, %eax
        js      fail
        jz      child
        mov     %rax, %r14

        step    wait
again:
        mov     %r14, %rdi
        lea     STATUS(%rsp), %rsi
        mov     $0x40000000, %edx       # __WALL
        xor     %r10d, %r10d
        call    WAIT4
        cmp     $-4, %eax               # EINTR
        je      again
        test    %eax, %eax
        js      fail

        test    %r12d, %r12d
        js      end
        mov     %r12, %rdi
        lea     STATUS(%rsp), %rsi
        mov     $4, %edx
        call    WRITE
        mov     %r12d, BUFFER(%rsp)     # struct pollfd: any answer, or that there will be none
        movl    $1, BUFFER + 4(%rsp)
        movq    $5, VECTOR(%rsp)        # seconds
        movq    $0, VECTOR + 8(%rsp)
        lea     BUFFER(%rsp), %rdi
        mov     $1, %esi
        lea     VECTOR(%rsp), %rdx
        xor     %r10d, %r10d
        mov     $8, %r8d
        call    PPOLL
end:
        mov     STATUS(%rsp), %eax
        mov     %eax, %edi
        and     $0x7f, %edi
        jnz     by_signal
        movzbl  %ah, %edi
        call    EXIT_GROUP
by_signal:
        add     $128, %edi
        call    EXIT_GROUP

child:
        mov     $2, %edi                # SIG_SETMASK
        lea     MASK(%rsp), %rsi
        xor     %edx, %edx
        mov     $8, %r10d
        call    SIGPROCMASK
        call    SETSID
        mov     FOLDER(%rbp), %rdi
        call    CHDIR
        mov     $126, %r14d
        lea     NO_FOLDER(%rbp), %r13
        test    %eax, %eax
        js      say
        mov     $127, %r14d
        mov     CANDIDATES(%rbp), %r13
next:
        mov     (%r13), %rdi
        test    %rdi, %rdi
        jz      none
        mov     ARGUMENTS(%rbp), %rsi
        mov     VARIABLES(%rbp), %rdx
        call    EXECVE
        cmp     $-8, %eax               # ENOEXEC
        je      script
        cmp     $-2, %eax               # ENOENT
        je      other
        cmp     $-20, %eax              # ENOTDIR
        je      other
        mov     $126, %r14d
other:
        add     $8, %r13
        jmp     next
script:                                 # without a first line that names its interpreter
        mov     $126, %r14d
        mov     (%r13), %rax
        mov     SHELL_ARGUMENTS(%rbp), %rsi
        mov     %rax, 8(%rsi)
        mov     SHELL(%rbp), %rdi
        mov     VARIABLES(%rbp), %rdx
        call    EXECVE
none:
        lea     NOT_FOUND(%rbp), %r13
        cmp     $127, %r14d
        je      say
        lea     NOT_EXECUTABLE(%rbp), %r13
say:
        mov     $2, %edi
        mov     (%r13), %rsi
        mov     8(%r13), %rdx
        call    WRITE
        mov     %r14d, %edi
        call    EXIT_GROUP

fail:
        mov     $2, %edi
        lea     cannot(%rip), %rsi
        mov     $cannot_size, %edx
        call    WRITE
        mov     $2, %edi
        mov     %r15, %rsi
        mov     $8, %edx
        call    WRITE
        mov     $125, %edi
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
