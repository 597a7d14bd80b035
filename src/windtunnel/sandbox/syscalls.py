"""System calls: their numbers on each machine, those a program may make, those worth a line in the log.

A name that is in the number table and not allowed gets EPERM. A number that is in no table gets ENOSYS, so that
a C library falls back to an older call when the kernel has one that these tables have not heard of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """One machine's calling convention."""

    audit: int
    """AUDIT_ARCH_* of the native 64-bit convention; every other convention has another value."""
    numbers: Mapping[str, int]
    has_x32: bool = False
    """Whether a second table hides in the same convention behind bit 30 of the number."""


def _numbered(text: str) -> dict[str, int]:
    """Read names in the order of their numbers; a number in the text moves the count there."""
    table: dict[str, int] = {}
    number = 0
    for word in text.split():
        if word.isdigit():
            number = int(word)
        else:
            table[word] = number
            number += 1
    return table


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_COMMON = """
424 pidfd_send_signal io_uring_setup io_uring_enter io_uring_register open_tree move_mount fsopen fsconfig fsmount
fspick pidfd_open clone3 close_range openat2 pidfd_getfd faccessat2 process_madvise epoll_pwait2 mount_setattr
quotactl_fd landlock_create_ruleset landlock_add_rule landlock_restrict_self memfd_secret process_mrelease
futex_waitv set_mempolicy_home_node cachestat fchmodat2 map_shadow_stack futex_wake futex_wait futex_requeue
462 mseal setxattrat getxattrat listxattrat removexattrat open_tree_attr
"""

_X86_64 = """
0 read write open close stat fstat lstat poll lseek mmap mprotect munmap brk rt_sigaction rt_sigprocmask rt_sigreturn
ioctl pread64 pwrite64 readv writev access pipe select sched_yield mremap msync mincore madvise shmget shmat shmctl
dup dup2 pause nanosleep getitimer alarm setitimer getpid sendfile socket connect accept sendto recvfrom sendmsg
recvmsg shutdown bind listen getsockname getpeername socketpair setsockopt getsockopt clone fork vfork execve exit
wait4 kill uname semget semop semctl shmdt msgget msgsnd msgrcv msgctl fcntl flock fsync fdatasync truncate ftruncate
getdents getcwd chdir fchdir rename mkdir rmdir creat link unlink symlink readlink chmod fchmod chown fchown lchown
umask gettimeofday getrlimit getrusage sysinfo times ptrace getuid syslog getgid setuid setgid geteuid getegid setpgid
getppid getpgrp setsid setreuid setregid getgroups setgroups setresuid getresuid setresgid getresgid getpgid setfsuid
setfsgid getsid capget capset rt_sigpending rt_sigtimedwait rt_sigqueueinfo rt_sigsuspend sigaltstack utime mknod
uselib personality ustat statfs fstatfs sysfs getpriority setpriority sched_setparam sched_getparam sched_setscheduler
sched_getscheduler sched_get_priority_max sched_get_priority_min sched_rr_get_interval mlock munlock mlockall
munlockall vhangup modify_ldt pivot_root _sysctl prctl arch_prctl adjtimex setrlimit chroot sync acct settimeofday
mount umount2 swapon swapoff reboot sethostname setdomainname iopl ioperm create_module init_module delete_module
get_kernel_syms query_module quotactl nfsservctl getpmsg putpmsg afs_syscall tuxcall security gettid readahead
setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr removexattr lremovexattr
fremovexattr tkill time futex sched_setaffinity sched_getaffinity set_thread_area io_setup io_destroy io_getevents
io_submit io_cancel get_thread_area lookup_dcookie epoll_create epoll_ctl_old epoll_wait_old remap_file_pages
getdents64 set_tid_address restart_syscall semtimedop fadvise64 timer_create timer_settime timer_gettime
timer_getoverrun timer_delete clock_settime clock_gettime clock_getres clock_nanosleep exit_group epoll_wait epoll_ctl
tgkill utimes vserver mbind set_mempolicy get_mempolicy mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify
mq_getsetattr kexec_load waitid add_key request_key keyctl ioprio_set ioprio_get inotify_init inotify_add_watch
inotify_rm_watch migrate_pages openat mkdirat mknodat fchownat futimesat newfstatat unlinkat renameat linkat symlinkat
readlinkat fchmodat faccessat pselect6 ppoll unshare set_robust_list get_robust_list splice tee sync_file_range
vmsplice move_pages utimensat epoll_pwait signalfd timerfd_create eventfd fallocate timerfd_settime timerfd_gettime
accept4 signalfd4 eventfd2 epoll_create1 dup3 pipe2 inotify_init1 preadv pwritev rt_tgsigqueueinfo perf_event_open
recvmmsg fanotify_init fanotify_mark prlimit64 name_to_handle_at open_by_handle_at clock_adjtime syncfs sendmmsg setns
getcpu process_vm_readv process_vm_writev kcmp finit_module sched_setattr sched_getattr renameat2 seccomp getrandom
memfd_create kexec_file_load bpf execveat userfaultfd membarrier mlock2 copy_file_range preadv2 pwritev2 pkey_mprotect
pkey_alloc pkey_free statx io_pgetevents rseq
335 uretprobe
"""

_AARCH64 = """
0 io_setup io_destroy io_submit io_cancel io_getevents setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr
listxattr llistxattr flistxattr removexattr lremovexattr fremovexattr getcwd lookup_dcookie eventfd2 epoll_create1
epoll_ctl epoll_pwait dup dup3 fcntl inotify_init1 inotify_add_watch inotify_rm_watch ioctl ioprio_set ioprio_get
flock mknodat mkdirat unlinkat symlinkat linkat renameat umount2 mount pivot_root nfsservctl statfs fstatfs truncate
ftruncate fallocate faccessat chdir fchdir chroot fchmod fchmodat fchownat fchown openat close vhangup pipe2 quotactl
getdents64 lseek read write readv writev pread64 pwrite64 preadv pwritev sendfile pselect6 ppoll signalfd4 vmsplice
splice tee readlinkat newfstatat fstat sync fsync fdatasync sync_file_range timerfd_create timerfd_settime
timerfd_gettime utimensat acct capget capset personality exit exit_group waitid set_tid_address unshare futex
set_robust_list get_robust_list nanosleep getitimer setitimer kexec_load init_module delete_module timer_create
timer_gettime timer_getoverrun timer_settime timer_delete clock_settime clock_gettime clock_getres clock_nanosleep
syslog ptrace sched_setparam sched_setscheduler sched_getscheduler sched_getparam sched_setaffinity sched_getaffinity
sched_yield sched_get_priority_max sched_get_priority_min sched_rr_get_interval restart_syscall kill tkill tgkill
sigaltstack rt_sigsuspend rt_sigaction rt_sigprocmask rt_sigpending rt_sigtimedwait rt_sigqueueinfo rt_sigreturn
setpriority getpriority reboot setregid setgid setreuid setuid setresuid getresuid setresgid getresgid setfsuid
setfsgid times setpgid getpgid getsid setsid getgroups setgroups uname sethostname setdomainname getrlimit setrlimit
getrusage umask prctl getcpu gettimeofday settimeofday adjtimex getpid getppid getuid geteuid getgid getegid gettid
sysinfo mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr msgget msgctl msgrcv msgsnd semget
semctl semtimedop semop shmget shmctl shmat shmdt socket socketpair bind listen accept connect getsockname getpeername
sendto recvfrom setsockopt getsockopt shutdown sendmsg recvmsg readahead brk munmap mremap add_key request_key keyctl
clone execve mmap fadvise64 swapon swapoff mprotect msync mlock munlock mlockall munlockall mincore madvise
remap_file_pages mbind get_mempolicy set_mempolicy migrate_pages move_pages rt_tgsigqueueinfo perf_event_open accept4
recvmmsg 260 wait4 prlimit64 fanotify_init fanotify_mark name_to_handle_at open_by_handle_at clock_adjtime syncfs
setns sendmmsg process_vm_readv process_vm_writev kcmp finit_module sched_setattr sched_getattr renameat2 seccomp
getrandom memfd_create bpf execveat userfaultfd membarrier mlock2 copy_file_range preadv2 pwritev2 pkey_mprotect
pkey_alloc pkey_free statx io_pgetevents rseq kexec_file_load
"""

MACHINES: Mapping[str, Machine] = {
    "x86_64": Machine(audit=0xC000003E, numbers=_numbered(_X86_64 + _COMMON), has_x32=True),
    "aarch64": Machine(audit=0xC00000B7, numbers=_numbered(_AARCH64 + _COMMON)),
}

ALLOWED = _names("""
read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 lseek sendfile splice tee vmsplice
copy_file_range readahead fadvise64 fallocate truncate ftruncate sync syncfs fsync fdatasync sync_file_range
open openat openat2 creat close close_range dup dup2 dup3 fcntl flock pipe pipe2 memfd_create memfd_secret
stat fstat lstat newfstatat statx statfs fstatfs access faccessat faccessat2 readlink readlinkat getdents getdents64
getcwd chdir fchdir mkdir mkdirat rmdir mknod mknodat link linkat unlink unlinkat symlink symlinkat
rename renameat renameat2 chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat umask
utime utimes futimesat utimensat cachestat
setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr removexattr lremovexattr
fremovexattr setxattrat getxattrat listxattrat removexattrat
poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2
eventfd eventfd2 signalfd signalfd4 timerfd_create timerfd_settime timerfd_gettime
inotify_init inotify_init1 inotify_add_watch inotify_rm_watch
io_setup io_destroy io_getevents io_pgetevents io_submit io_cancel ioprio_get ioprio_set
brk mmap munmap mremap mprotect madvise mincore msync mlock mlock2 mlockall munlock munlockall remap_file_pages
pkey_alloc pkey_free pkey_mprotect map_shadow_stack mseal membarrier
fork vfork execve execveat exit exit_group wait4 waitid set_tid_address get_robust_list set_robust_list
futex futex_waitv futex_wait futex_wake futex_requeue rseq restart_syscall arch_prctl set_thread_area get_thread_area
prctl landlock_create_ruleset landlock_add_rule landlock_restrict_self uretprobe
rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait
rt_tgsigqueueinfo sigaltstack kill tkill tgkill pause alarm pidfd_open pidfd_send_signal process_mrelease
getpid getppid gettid getpgid getpgrp setpgid getsid setsid getuid geteuid getgid getegid getresuid getresgid
setuid setgid setreuid setregid setresuid setresgid setfsuid setfsgid getgroups setgroups capget capset
getpriority setpriority getrlimit setrlimit prlimit64 getrusage times sysinfo uname getcpu getrandom
sched_yield sched_getaffinity sched_setaffinity sched_getattr sched_setattr sched_getparam sched_setparam
sched_getscheduler sched_setscheduler sched_get_priority_max sched_get_priority_min sched_rr_get_interval
time gettimeofday clock_gettime clock_getres clock_nanosleep nanosleep getitimer setitimer
timer_create timer_delete timer_getoverrun timer_gettime timer_settime
accept accept4 bind listen shutdown getsockname getpeername getsockopt setsockopt
recvfrom recvmsg recvmmsg sendmsg sendmmsg
msgctl msgget msgrcv msgsnd semctl semget semop semtimedop shmat shmctl shmdt shmget
mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink
""")
"""Allowed whatever their arguments; ``seccomp.py`` adds those whose arguments it checks.

No wider than Docker's default profile for a container without capabilities, and without its io_uring, ptrace,
process_vm_*, name_to_handle_at, fanotify_mark, modify_ldt, adjtimex and clock_adjtime.
"""

WATCHED = _names("""
mount umount2 pivot_root chroot open_tree open_tree_attr move_mount fsopen fsconfig fsmount fspick mount_setattr
unshare setns ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd
bpf perf_event_open userfaultfd add_key request_key keyctl io_uring_setup io_uring_enter io_uring_register
init_module finit_module delete_module kexec_load kexec_file_load reboot open_by_handle_at
syslog settimeofday clock_settime adjtimex clock_adjtime
swapon swapoff acct quotactl quotactl_fd sethostname setdomainname iopl ioperm fanotify_init
""")
"""Refused calls worth recording, because a program that makes one reaches for more than its own work.

Some honest runtimes try io_uring at their start and go on without it, so a record is not a verdict.
"""
