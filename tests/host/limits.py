#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the host does not give, and signals that end: limits.py NDKSIM LIBRARY FAULTY.

Whatever happens, nothing is left in TMPDIR, and a word is said.
"""
import errno
import json
import os
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

PROGRAM, LIBRARY, FAULTY = map(os.path.abspath, sys.argv[1:4])
QUICK = os.path.join(LIBRARY, "no-listener.json")
LONG = [os.path.join(LIBRARY, "quickstart.json"), "--set",
        "nodes.client.drivers[0].registry.TotalBytesWrite=4294901760"]
NOBODY = 54321
SECONDS_MAX = 100


def is_open_to_all(path):
    while path != os.path.dirname(path):
        path = os.path.dirname(path)
        if not os.stat(path).st_mode & stat.S_IXOTH:
            return False
    return True


class Limits(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.copies = os.path.join(self.folder, "copies")
        os.mkdir(self.copies)

    def options(self, **more):
        return {"cwd": self.folder, "text": True, "stdin": subprocess.DEVNULL,
                "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
                "env": {**os.environ, "TMPDIR": self.copies}, **more}

    def limited(self, limit, count, *words):
        def prepare():
            resource.setrlimit(limit, (count, count))
            if limit == resource.RLIMIT_NPROC and os.geteuid() == 0:
                os.setuid(NOBODY)
        done = subprocess.run([PROGRAM, *words], check=False, timeout=SECONDS_MAX,
                              preexec_fn=prepare, **self.options())
        self.assertEqual(os.listdir(self.copies), [])
        return done

    def started(self, *words, folders=1, **more):
        """A command of which so many processes have begun, and the first has copies of modules."""
        process = subprocess.Popen([PROGRAM, *words], **self.options(**more))
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        while process.poll() is None and (
                len(os.listdir(self.copies)) < folders or
                not any(files for _, _, files in os.walk(self.copies))):
            pass
        return process

    def ended(self, process):
        output, errors = process.communicate(timeout=SECONDS_MAX)
        self.assertEqual(os.listdir(self.copies), [])
        return output, errors

    def test_no_descriptors_for_workers_is_said(self):
        done = self.limited(resource.RLIMIT_NOFILE, 12, "fuzz", QUICK, "--runs", "3", "--jobs", "2")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr,
                         r"^ndksim: 0 of 2 worker processes could be started: .* \(ulimit -n\)\n$")

    def test_few_descriptors_make_few_workers(self):
        wanted = ["fuzz", QUICK, "--runs", "20", "--jobs", "8"]
        for count in range(20, 64):
            done = self.limited(resource.RLIMIT_NOFILE, count, *wanted)
            if done.returncode == 0:
                break
        self.assertRegex(done.stderr, r"^ndksim: [1-7] of 8 worker processes could be started: "
                                      r".* \(ulimit -n\)\n$")
        self.assertIn(" 20 runs, 0 failed ", done.stdout)

    @unittest.skipUnless(os.geteuid() == 0, "others may have processes of their own")
    @unittest.skipUnless(is_open_to_all(PROGRAM), "nobody else may enter the program's folder")
    @unittest.mock.patch.dict(os.environ, {"ASAN_OPTIONS": "detect_leaks=0"})  # which forks
    def test_no_processes_are_said(self):
        os.chmod(self.folder, 0o777)
        os.chmod(self.copies, 0o777)
        for words, says in ((["fuzz", QUICK, "--jobs", "1"],
                             "0 of 1 worker processes could be started"),
                            (["run", "-q", QUICK, QUICK], "no process can be started for it")):
            done = self.limited(resource.RLIMIT_NPROC, 1, *words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(says, done.stderr)
        done = self.limited(resource.RLIMIT_NPROC, 3, "fuzz", QUICK, "--runs", "9", "--jobs", "5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, "[1-4] of 5 worker processes could be started")
        self.assertIn(" 9 runs, 0 failed ", done.stdout)

    def test_a_file_over_its_limit_is_an_error(self):
        done = self.limited(resource.RLIMIT_FSIZE, 1 << 20, "run", "-q", QUICK, "--set",
                            "expect=[]", "--trace", "t")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn(os.strerror(errno.EFBIG), done.stderr)

    def test_modules_that_cannot_be_copied_leave_nothing(self):
        for limit, count, error in ((resource.RLIMIT_NOFILE, 4, errno.EMFILE),
                                    (resource.RLIMIT_FSIZE, 0, errno.EFBIG)):
            for words in (["run", "-q", QUICK], ["run", "-q", QUICK, QUICK],
                          ["fuzz", QUICK, "--runs", "2", "--jobs", "1"]):
                done = self.limited(limit, count, *words)
                self.assertEqual(done.returncode, 2, (words, done.stdout))
                if words[0] == "run":
                    self.assertIn(f"cannot be copied to {self.copies}/ndksim-", done.stderr)
                    self.assertIn(os.strerror(error), done.stderr)

    def test_a_low_limit_of_the_stack_is_raised_or_told(self):
        def lower():
            resource.setrlimit(resource.RLIMIT_STACK, (65536, resource.RLIM_INFINITY))
        words = [PROGRAM, "run", "-q", QUICK]
        done = subprocess.run(words, check=False, preexec_fn=lower, **self.options())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.limited(resource.RLIMIT_STACK, 65536, "run", "-q", QUICK)
        if done.returncode != 0:  # who may raise it, has
            self.assertEqual(done.returncode, 2)
            self.assertIn("the limit of the stack (ulimit -s) is below 1024 KiB", done.stderr)

    def test_who_reads_no_more_leaves_no_copies(self):
        process = self.started("run", *LONG, "--until", "20ms")
        process.stdout.close()
        process.wait(timeout=SECONDS_MAX)
        self.assertEqual(process.returncode, -signal.SIGPIPE)
        self.assertEqual(os.listdir(self.copies), [])

    def with_tool(self, text, *words):
        """A run that fails, with an addr2line and an llvm-symbolizer of that text."""
        for name in ("addr2line", "llvm-symbolizer"):
            path = os.path.join(self.folder, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\n" + text)
            os.chmod(path, 0o755)
        environment = {**os.environ, "TMPDIR": self.copies, "NDKSIM_TOOL_SECONDS": "1",
                       "PATH": self.folder + os.pathsep + os.environ["PATH"]}
        return subprocess.run([PROGRAM, *words], check=False, timeout=SECONDS_MAX,
                              **self.options(env=environment))

    @unittest.skipUnless(sys.platform == "linux", "another tool, of a fixed place")
    def test_a_tool_without_answers_is_asked_once(self):
        driver = {"as": "faulty", "load": FAULTY, "registry": {"Fault": 8}}
        names = [os.path.join(self.folder, f"{i}.json") for i in range(3)]
        for name in names:
            with open(name, "w", encoding="utf-8") as file:
                json.dump({"nodes": {"one": {"drivers": [driver]}}}, file)
        for text in ("echo $$ >> tools; exec sleep 1000", "echo $$ >> tools; exec yes",
                     "exit 1", "kill -9 $$"):
            done = self.with_tool(text, "run", "-q", *names)
            self.assertEqual(done.returncode, 6, done.stderr)
            self.assertNotIn("faulty.c:", done.stdout)
            self.assertRegex(done.stderr, r"^ndksim: reports are without source lines: [^\n]*\n$")
        with open(os.path.join(self.folder, "tools"), encoding="utf-8") as file:
            tools = file.read().split()
        self.assertEqual(len(tools), 4, "each tool once in each run")
        for tool in tools:
            self.assertFalse(os.path.exists(f"/proc/{tool}"), tool)

    def test_a_killed_worker_leaves_no_copies(self):
        process = self.started("fuzz", *LONG, "--runs", "1", "--jobs", "1", folders=2)
        killed = self.child_of(process.pid)
        os.kill(killed, signal.SIGKILL)
        while self.child_of(process.pid) in (None, killed):
            pass
        process.send_signal(signal.SIGINT)
        output, errors = self.ended(process)
        self.assertEqual(process.returncode, 130, output)
        self.assertIn("worker processes were killed from outside, 1 time", errors)

    def child_of(self, parent):
        listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], check=True, text=True,
                                stdout=subprocess.PIPE).stdout
        return next((int(line.split()[0]) for line in listed.splitlines()
                     if int(line.split()[1]) == parent), None)

    def test_signals_end_a_run_and_a_campaign(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.started("run", "-q", *LONG, "--log", "log.txt", "--junit", "j.xml")
            process.send_signal(number)
            output, errors = self.ended(process)
            self.assertEqual((process.returncode, errors), (130, ""), output)
            self.assertIn("interrupted: quickstart, seed 1", output)
            process = self.started("fuzz", *LONG, "--jobs", "2", start_new_session=True)
            os.killpg(process.pid, number)
            output, errors = self.ended(process)
            self.assertEqual((process.returncode, errors), (130, ""), output)
            self.assertIn("interrupted: quickstart, seed 1, 0 runs, 0 failed", output)
            self.assertNotIn("held", output)

    def test_a_second_interrupt_ends_at_once(self):
        process = self.started("run", "-q", *LONG, QUICK)
        for _ in range(2):
            process.send_signal(signal.SIGTERM)
        self.ended(process)
        self.assertEqual(process.returncode, 130)

    def test_nohup_is_heeded(self):
        def prepare():
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
        process = self.started("run", "-q", *LONG, "--until", "20ms", preexec_fn=prepare)
        process.send_signal(signal.SIGHUP)
        output, _ = self.ended(process)
        self.assertEqual(process.returncode, 0, output)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
