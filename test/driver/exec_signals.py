"""exec_signals.py COMPILE FOLDER: signals and exit statuses under --exec.

COMPILE is compile.py, a program that dumps FOLDER and exits as it is told.
"""

import os
import re
import signal
import subprocess
import sys

COMPILE, FOLDER = sys.argv[1:]
# Shells, nohup and CI ignore some of them for what runs in the background.
for each in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
    if signal.getsignal(each) == signal.SIG_IGN:
        signal.signal(each, signal.SIG_DFL)
SHOW = """
import os, signal, sys
print(*(s.name for s in signal.Signals if signal.getsignal(s) == signal.SIG_IGN))
print(open("/proc/self/status").read().split("SigBlk:")[1].split()[0], flush=True)
sys.stdin = open(os.devnull)
sys.argv[1:] = sys.argv[2:]
exec(compile(open(sys.argv[0]).read(), "compile.py", "exec"))
"""
# A handler and pause() would wait forever for a signal that comes between the two.
WAIT = """
import signal, subprocess, sys
subprocess.run([sys.executable, *sys.argv[1:]], stdin=subprocess.DEVNULL)
numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1)
signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
print("ready", flush=True)
caught = signal.sigtimedwait(numbers, 60)
sys.exit(caught.si_signo if caught else 99)
"""


def run_with(ignored, status):
    """The output and the exit status where these signals are ignored."""

    def prepare():
        for number in (signal.SIGCHLD, signal.SIGHUP, signal.SIGPIPE, signal.SIGUSR2):
            signal.signal(number, signal.SIG_IGN if ignored else signal.SIG_DFL)

    program = SHOW.replace("sys.argv[0]", repr(COMPILE))
    return subprocess.run(
        ["hlobuf-verify", "--no-config", "--exec", "--", sys.executable, "-c", program]
        + ["-", FOLDER, str(status)],
        preexec_fn=prepare,
        restore_signals=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )


def pass_on(number):
    """What becomes of a signal that is sent to hlobuf-verify alone."""
    running = subprocess.Popen(
        ["hlobuf-verify", "--no-config", "--exec", "--", sys.executable, "-c", WAIT]
        + [COMPILE, FOLDER, "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while running.stdout.readline() not in ("ready\n", ""):
        pass
    running.send_signal(number)
    _, errors = running.communicate()
    return running.returncode, errors


def run_unread(how, status):
    """The exit status where standard error is full, or nobody reads it."""
    command = ["hlobuf-verify", "--no-config", "--exec", "--", sys.executable, "-c"]
    command += [
        "import os, sys; os.close(2);" + SHOW.replace("sys.argv[0]", repr(COMPILE))
    ]
    errors = os.open("/dev/full", os.O_WRONLY)
    if how == "closed":
        reader, errors = os.pipe()
        os.close(reader)
    done = subprocess.run(
        [*command, "-", FOLDER, str(status)],
        stdout=subprocess.DEVNULL,
        stderr=errors,
        check=False,
    )
    return done.returncode


for ignored in (False, True):
    for status in (0, 7, -15, -9):
        done = run_with(ignored, status)
        names, blocked = done.stdout.splitlines()[:2]
        # Python ignores some itself.
        names = sorted(set(names.split()) - {"SIGPIPE", "SIGXFSZ"})
        print(f"ignored {ignored}, {status}: exit status {done.returncode}, {names}")
        assert "sound: " in done.stderr, done.stderr
        assert int(blocked, 16) == 0, blocked
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1):
    status, errors = pass_on(number)
    verified = bool(re.search("sound: ", errors))
    print(f"{number.name}: exit status {status - number}, verified {verified}")
for how in ("full", "closed"):
    print(f"{how}: exit status {run_unread(how, 0)}, {run_unread(how, 5)}")
