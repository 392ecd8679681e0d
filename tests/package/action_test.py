#!/usr/bin/env python3
"""Runs the GitHub Action as a runner does: action_test.py BINARY SOURCE.

The steps of packaging/github-action/action.yml are run as they stand, in a folder with tables, for events of GitHub in
tests/package/events. GitHub is a server of this process that keeps the comments of one pull request and records every
request. Nothing leaves the machine."""
import contextlib
import http.server
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import unittest

import yaml

BINARY, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
ACTION = SOURCE / "packaging" / "github-action"
EVENTS = SOURCE / "tests" / "package" / "events"
TOKEN = "ghs_16C7e42F292c6912E7710c838347Ae178B4a"
HOSTILE = ["@octocat", "@example/team", "#12", "example/other#3", "GH-4", "gh-5", "<img src=x onerror=alert(1)>", "`id`",
           "$(touch pwned)", "a|b", "[x](http://evil.example)", "![x](y)", "::error::x", "##[error]x", "a%0A::error::y",
           "https://github.com/example/training/issues/9", "www.evil.example", "</details>", "\"; touch pwned; \"",
           "user@mail.example", "&#64;octocat", "&commat;octocat", "--exit-zero"]


class GitHub(http.server.BaseHTTPRequestHandler):
    """Answers as GitHub's GraphQL interface does for one pull request."""

    def do_POST(self):
        hub = self.server
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "repository(" not in asked["query"]:
            hub.requests.append(asked)
        hub.tokens.append(self.headers["Authorization"])
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(hub.answer(asked["query"], asked["variables"])).encode())

    def log_message(self, *words):
        pass


class Hub(http.server.ThreadingHTTPServer):
    def __init__(self):
        super().__init__(("127.0.0.1", 0), GitHub)
        self.comments, self.requests, self.tokens, self.may_write = [], [], [], True
        self.files = {}  # Of the base revision.

    def answer(self, query, variables):
        if "repository(" in query:
            text = self.files.get(variables["file"].partition(":")[2])
            return {"data": {"repository": {"object": None if text is None else {"text": text}}}}
        if query.startswith("query"):
            return {"data": {"node": {"comments": self.page(variables["number"], int(variables["after"] or 0))}}}
        if not self.may_write:
            return {"data": None, "errors": [{"type": "FORBIDDEN", "message": "Resource not accessible by integration"}]}
        if "addComment" in query:
            self.comments.append({"id": "IC_%d" % len(self.comments), "body": variables["body"], "viewerDidAuthor": True})
        else:
            [comment] = [comment for comment in self.comments if comment["id"] == variables["id"]]
            comment["body"] = variables["body"]
        return {"data": {}}

    def page(self, number, first):
        last = first + number
        return {"nodes": self.comments[first:last],
                "pageInfo": {"hasNextPage": last < len(self.comments), "endCursor": str(last)}}

    @property
    def writes(self):
        return [asked for asked in self.requests if asked["query"].startswith("mutation")]

    def stranger(self, body):
        self.comments.append({"id": "IC_%d" % len(self.comments), "body": body, "viewerDidAuthor": False})


def table(path, names, slower=1.0, scatter=0.02):
    """Three runs at each N, one of which lies above the law and one below it by the scatter."""
    rows = ["model,gpus,seconds"]
    for name in names:
        quoted = '"%s"' % name.replace('"', '""')
        rows += ["%s,%d,%.3f" % (quoted, gpus, 1000 * slower / gpus**0.9 * math.exp(error))
                 for gpus in (1, 2, 4, 8, 16) for error in (-scatter, 0, scatter)]
    pathlib.Path(path).write_text("\n".join(rows) + "\n", encoding="utf-8")


class Job:
    """What one use of the action left: exit status, log, outputs and summary."""

    def __init__(self, hub, event, inputs, environment):
        action = yaml.safe_load((ACTION / "action.yml").read_text())
        values = {name: spec.get("default", "") for name, spec in action["inputs"].items()}
        assert not set(inputs) - set(values), "action.yml has no such input"
        values.update(inputs)
        self.context = {"github.token": TOKEN}
        self.context.update({"inputs." + name: self.filled(value) for name, value in values.items()})
        self.files = {name: tempfile.NamedTemporaryFile("r+", encoding="utf-8") for name in ("OUTPUT", "STEP_SUMMARY")}
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": os.getcwd(), "RUNNER_TEMP": tempfile.mkdtemp(dir="."),
            "GITHUB_ACTION_PATH": str(ACTION), "GITHUB_EVENT_PATH": str(EVENTS / (event + ".json")),
            "GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "example/training", "GITHUB_RUN_ID": "1658821493",
            "GITHUB_GRAPHQL_URL": "http://127.0.0.1:%d/graphql" % hub.server_port, "no_proxy": "*",
            **{"GITHUB_" + name: file.name for name, file in self.files.items()}, **environment}
        self.status, self.log = 0, ""
        for step in action["runs"]["steps"]:
            self.run(step)
        self.outputs = dict(line.split("=", 1) for line in self.files["OUTPUT"].read().splitlines())
        self.context.update({"steps.gate.outputs." + name: value for name, value in self.outputs.items()})
        self.outputs = {name: self.filled(spec["value"]) for name, spec in action["outputs"].items()}
        self.summary = self.files["STEP_SUMMARY"].read()

    def filled(self, text):
        return re.sub(r"\$\{\{ *([\w.-]+) *\}\}", lambda found: self.context[found.group(1)], str(text))

    def run(self, step):
        assert step["shell"] == "bash" and "${{" not in step["run"], "a value in a script would become words of the shell"
        with tempfile.NamedTemporaryFile("w", suffix=".sh") as script:
            script.write(step["run"])
            script.flush()
            done = subprocess.run(["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", script.name], timeout=60,
                                  env={**self.environment, **{name: self.filled(value) for name, value in step["env"].items()}},
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        self.status, self.log = self.status or done.returncode, self.log + done.stdout.decode()

    @property
    def commands(self):
        """Lines that the runner takes for workflow commands: '::' begins them, '##[' stands anywhere in them."""
        found, key = [], None
        for line in re.split(r"\r\n|\r|\n", self.log):
            if key is not None:
                key = None if line.strip() == "::%s::" % key else key
            elif line.strip().startswith("::stop-commands::"):
                key = line.strip()[len("::stop-commands::"):]
                assert re.fullmatch("[0-9a-f]{32}", key), "a key that a table could hold switches commands on"
            elif line.strip().startswith("::") or "##[" in line:
                found.append(line)
        assert key is None, "workflow commands stay off"
        return found


class ActionTest(unittest.TestCase):
    def setUp(self):
        self.hub = Hub()
        threading.Thread(target=self.hub.serve_forever, daemon=True).start()
        self.folder = tempfile.TemporaryDirectory()
        os.chdir(self.folder.name)
        table("base.csv", ["BERT", "DimeNet"])
        table("same.csv", ["BERT", "DimeNet"])
        table("worse.csv", ["BERT", "DimeNet"], slower=1.3)
        table("better.csv", ["BERT", "DimeNet"], slower=0.7)
        table("noisy.csv", ["BERT", "DimeNet"], scatter=0.6)

    def tearDown(self):
        self.hub.shutdown()
        self.hub.server_close()
        os.chdir("/")
        self.folder.cleanup()

    def use(self, event, runs, baseline="base.csv", environment=(), **inputs):
        return Job(self.hub, event, {"runs": runs, "baseline": baseline, "command": BINARY, **inputs}, dict(environment))

    # What a step leaves.

    def test_a_change_for_the_worse_fails_the_step_and_is_shown(self):
        job = self.use("push", "worse.csv")
        self.assertEqual(job.status, 1)
        self.assertEqual({name: job.outputs[name] for name in ("verdict", "status")}, {"verdict": "failed", "status": "1"})
        self.assertTrue(job.commands[0].startswith("::error title=scalelaw gate::failed: 2 of 2 groups are worse"))
        self.assertIn("### scalelaw gate\n\n**scalelaw gate failed: 2 of 2 groups are worse", job.summary)
        self.assertIn("| DimeNet | at 16 GPUs", job.summary)
        for name in ("gate.json", "gate.md", "gate.xml"):
            self.assertTrue((pathlib.Path(job.outputs["results"]) / name).stat().st_size)

    def test_no_change_passes(self):
        job = self.use("push", "same.csv")
        self.assertEqual((job.status, job.outputs["verdict"], job.outputs["status"]), (0, "passed", "0"))
        self.assertIn("passed: 2 of 2 groups are the same", job.summary)
        self.assertIn("\nx: gpus, y: seconds, by: model\n", job.log)  # Notes reach the log, too.

    def test_a_broken_table_says_where_and_is_no_verdict(self):
        pathlib.Path("broken.csv").write_text("model,gpus,seconds\nBERT,1,10\nBERT,2,``` ##[error]x @octocat\n")
        job = self.use("pull_request", "broken.csv")
        self.assertEqual((job.status, job.outputs["verdict"], job.outputs["status"]), (2, "error", "2"))
        self.assertIn("broken.csv:3: field 3 'seconds': expected a number", job.summary)
        self.assertIn("````\nscalelaw: error: ", job.summary)  # A block that the cell cannot close.
        self.assertEqual([line.split("::")[1] for line in job.commands], ["error title=scalelaw gate"])
        self.assertIn("broken.csv:3: field 3", job.commands[0])
        self.assertEqual(self.hub.requests, [])
        job = self.use("pull_request", "none\n::error title=x::y")
        self.assertEqual([line for line in job.commands if "title=x" in line.split("::")[1]], [])
        self.assertIn("\n::error title=x::y", job.log)

    def test_settings_in_a_file_and_further_options_hold(self):
        pathlib.Path("scalelaw.toml").write_text('[gate]\nbase = "base.csv"\nnew = "worse.csv"\n')
        self.assertEqual(self.use("push", "", baseline="").status, 1)
        self.assertEqual(self.use("push", "", baseline="", arguments="--max-slowdown 60%\n--max-beta-drop 0.5").status, 0)
        job = self.use("push", "", baseline="", arguments="--exit-zero --where 'model=BERT'")
        self.assertEqual((job.status, job.outputs["verdict"]), (0, "failed"))
        self.assertIn("1 of 1", job.summary)

    def test_a_pull_request_is_judged_by_the_settings_of_its_base(self):
        self.hub.files["scalelaw.toml"] = '[gate]\nbase = "base.csv"\nnew = "worse.csv"\n'
        for own in ("[gate]\nmax-slowdown = 0.9\nmax-beta-drop = 0.9\nbase = 'base.csv'\nnew = 'worse.csv'\n", "",
                    '[gate]\nnew = "same.csv"\n'):
            pathlib.Path("scalelaw.toml").write_text(own)
            self.assertEqual(self.use("pull_request", "", baseline="").status, 1)
        os.remove("scalelaw.toml")
        self.assertEqual(self.use("pull_request", "", baseline="").status, 1)
        os.mkdir("deep")  # The nearest settings of the base hold, wherever the job works.
        for name in ("base.csv", "worse.csv"):
            os.rename(name, "deep/" + name)
        root = os.getcwd()
        os.chdir("deep")
        self.assertEqual(self.use("pull_request", "", baseline="", environment={"GITHUB_WORKSPACE": root}).status, 1)
        os.chdir(root)

    def test_settings_of_the_base_that_cannot_be_read_judge_nothing(self):
        pathlib.Path("scalelaw.toml").write_text("[gate]\nmax-slowdown = 0.9\n")
        job = self.use("pull_request", "worse.csv", environment={"GITHUB_GRAPHQL_URL": "http://127.0.0.1:9/graphql"})
        self.assertEqual((job.status, job.outputs["verdict"]), (2, "error"))
        self.assertIn("the settings of the base revision cannot be read", job.summary)

    def test_a_call_that_cannot_be_made_is_told(self):
        job = self.use("push", "same.csv", command="./missing")
        self.assertEqual((job.status, job.outputs["verdict"]), (2, "error"))
        self.assertIn("cannot run './missing': No such file or directory; install scalelaw", job.summary)
        job = self.use("push", "same.csv", arguments="--where 'model")
        self.assertEqual(job.status, 2)
        self.assertIn("input 'arguments': No closing quotation in: --where 'model", job.commands[0])
        job = self.use("push", "same.csv", arguments="--help")
        self.assertEqual((job.status, job.outputs["verdict"]), (2, "error"))
        self.assertIn("no result was written", job.commands[0])
        job = self.use("push", "same.csv", command="false")
        self.assertEqual((job.status, job.outputs["verdict"]), (2, "error"))
        job = self.use("push", "same.csv", comment="yes")
        self.assertEqual(job.status, 2)
        self.assertIn("expected true or false, found 'yes'", job.commands[0])

    # When a comment is written.

    def test_one_comment_follows_the_pull_request(self):
        self.use("pull_request", "same.csv")
        self.assertEqual((self.hub.comments, self.hub.writes), ([], []))

        self.use("pull_request", "worse.csv")
        [comment] = self.hub.comments
        self.assertIn("### scalelaw gate\n\n**scalelaw gate failed: 2 of 2 groups are worse", comment["body"])
        self.assertIn("Judged at commit f95f852bd8fca8fcc58a9a2d6c842781e32a215e", comment["body"])
        self.assertIn("https://github.com/example/training/actions/runs/1658821493", comment["body"])
        self.assertEqual(self.hub.writes[0]["variables"]["id"], "PR_kwDOABCD3M5mMgP5")
        self.assertEqual(set(self.hub.tokens), {"bearer " + TOKEN})

        self.use("pull_request", "better.csv")
        [comment] = self.hub.comments
        self.assertIn("passed: 2 of 2 groups are better", comment["body"])

        pathlib.Path("broken.csv").write_text("model,gpus,seconds\nBERT,1,x\n")
        self.use("pull_request", "broken.csv")  # Nothing is known now.
        self.assertEqual(self.hub.comments, [comment])

        self.use("pull_request", "same.csv")
        [comment] = self.hub.comments
        self.assertIn("No change is shown any more.\n\n**scalelaw gate passed", comment["body"])

        self.use("pull_request", "worse.csv")
        [comment] = self.hub.comments
        self.assertNotIn("any more", comment["body"])

    def test_what_is_not_shown_makes_no_comment(self):
        job = self.use("pull_request", "noisy.csv")
        self.assertIn("inconclusive", job.summary)
        job = self.use("pull_request", "noisy.csv", arguments="--fail-on inconclusive")
        self.assertEqual((job.status, job.outputs["verdict"]), (1, "failed"))
        self.assertEqual(self.hub.writes, [])

    def test_a_group_without_runs_makes_a_comment(self):
        table("half.csv", ["BERT"])
        self.assertEqual(self.use("pull_request", "half.csv").status, 1)
        self.assertIn("missing", self.hub.comments[0]["body"])

    def test_a_single_figure_that_is_shown_makes_a_comment(self):
        pathlib.Path("noisy_at_16.csv").write_text("model,gpus,seconds\n" + "".join(
            "BERT,%d,%.3f\n" % (gpus, 700 / gpus**0.9 * math.exp(error * (20 if gpus == 16 else 1)))
            for gpus in (1, 2, 4, 8, 16) for error in (-0.02, 0, 0.02)))
        table("base.csv", ["BERT"])
        job = self.use("pull_request", "noisy_at_16.csv")
        self.assertIn("is inconclusive", job.summary)
        self.assertIn(" better ", self.hub.comments[0]["body"])

    def test_a_change_that_only_all_groups_together_show_makes_a_comment(self):
        names = ["model %d" % number for number in range(12)]
        table("base.csv", names, scatter=0.25)
        table("new.csv", names, slower=1.22, scatter=0.25)
        job = self.use("pull_request", "new.csv")
        self.assertEqual((job.status, job.outputs["verdict"]), (1, "failed"))
        self.assertIn("the mean of all groups is worse", job.summary)
        self.assertNotIn("| worse", job.summary)
        self.assertEqual(len(self.hub.comments), 1)

    def test_only_a_pull_request_has_comments_and_only_if_they_are_wanted(self):
        self.use("push", "worse.csv")
        self.use("schedule", "worse.csv")
        self.use("pull_request", "worse.csv", comment="false")
        self.assertEqual(self.hub.requests, [])

    def test_comments_of_others_stay(self):
        self.use("pull_request", "worse.csv")
        own = self.hub.comments.pop()
        self.hub.stranger(own["body"])
        self.hub.comments.append({**own, "id": "IC_1", "body": "> " + own["body"]})  # One's own answer that quotes it.
        for number in range(250):
            self.hub.stranger("Looks good to me, %d" % number)
        before = [dict(comment) for comment in self.hub.comments]
        self.use("pull_request", "worse.csv")
        self.use("pull_request", "better.csv")
        self.assertEqual(self.hub.comments[:-1], before)
        self.assertEqual(len(self.hub.comments), len(before) + 1)
        self.assertIn("better", self.hub.comments[-1]["body"])

    def test_gates_of_two_titles_have_a_comment_each(self):
        for title in ("V100 --> @octocat", "A100"):
            for runs in ("worse.csv", "better.csv"):
                self.use("pull_request", runs, title=title)
        self.assertEqual(len(self.hub.comments), 2)
        self.assertIn("### A100", self.hub.comments[1]["body"])
        self.assertNotIn("@octocat", self.hub.comments[0]["body"])
        self.assertRegex(self.hub.comments[0]["body"], r"\A<!-- [^>]* -->\n### V100 --\\> ")

    def test_a_comment_that_cannot_be_written_changes_nothing_else(self):
        self.hub.may_write = False
        job = self.use("pull_request_of_fork", "worse.csv")
        self.assertEqual((job.status, job.outputs["verdict"]), (1, "failed"))
        self.assertTrue(job.commands[-1].startswith("::notice title=scalelaw gate::No comment: a pull request of a fork"))
        job = self.use("pull_request", "worse.csv")
        self.assertEqual(job.status, 1)
        self.assertIn("GitHub says 'Resource not accessible by integration'. The job needs the permission 'pull-requests: write'",
                      job.commands[-1])
        job = self.use("pull_request", "better.csv", environment={"GITHUB_GRAPHQL_URL": "http://127.0.0.1:9/graphql"})
        self.assertEqual(job.status, 0)
        self.assertTrue(job.commands[-1].startswith("::warning title=scalelaw gate::No comment: "))
        self.hub.answer = lambda query, variables: {"data": {"node": None}}
        self.assertEqual(self.use("pull_request", "better.csv").status, 0)

    # What tables may hold.

    def assert_tells_nobody(self, markdown):
        """No mention, reference or address of a name is left, nor HTML."""
        for pattern in (r"@\w", r"#\d", r"(?i)\bgh-\d", r"://", r"(?i)www\.\w", r"<(?!!-- scalelaw)[a-z/!]", r"&#\d"):
            self.assertNotRegex(markdown, pattern)
        self.assertNotIn("8203", markdown)

    def test_names_stay_text(self):
        table("base.csv", HOSTILE)
        table("@octocat #12.csv", HOSTILE, slower=1.3)
        job = self.use("pull_request", "@octocat #12.csv")
        self.assertEqual(job.status, 1)
        body, end = self.hub.comments[0]["body"].rsplit("\nJudged at commit", 1)
        self.assertTrue(end.endswith("actions/runs/1658821493).\n"))
        self.assert_tells_nobody(body)
        self.assert_tells_nobody(job.summary)
        for line in job.commands:
            self.assertRegex(line, r"^::(error|warning|notice) title=scalelaw gate(%3A \w+)?::")
        self.assertEqual(len([line for line in job.commands if "worse" in line.split("::")[1]]), 2 * len(HOSTILE) + 1)
        self.assertFalse(os.path.exists("pwned"))

    def test_inputs_are_no_words_of_a_shell(self):
        table("$(touch pwned)`touch pwned`.csv", ["BERT"])
        job = self.use("push", "$(touch pwned)`touch pwned`.csv", baseline="--exit-zero;touch pwned",
                       arguments="--where '$(touch pwned)=1;touch pwned' $(touch pwned)", title="\"$(touch pwned)\"")
        self.assertEqual(job.status, 2)
        self.assertFalse(os.path.exists("pwned"))

    def test_a_name_is_no_option(self):
        table("--exit-zero", ["BERT", "DimeNet"], slower=1.3)
        table("--help", ["BERT", "DimeNet"])
        job = self.use("push", "--exit-zero", baseline="--help")
        self.assertEqual((job.status, job.outputs["verdict"]), (1, "failed"))

    def test_the_command_does_not_see_the_token(self):
        pathlib.Path("spy").write_text('#!/bin/sh\nenv > seen\necho "$@" >> seen\nexec "%s" "$@"\n' % BINARY)
        os.chmod("spy", 0o755)
        self.assertEqual(self.use("pull_request", "worse.csv", command="./spy").status, 1)
        self.assertEqual(len(self.hub.comments), 1)
        self.assertNotIn(TOKEN, pathlib.Path("seen").read_text())

    def test_a_command_that_is_ended_is_an_error(self):
        pathlib.Path("ended").write_text("#!/bin/sh\nkill -9 $$\n")
        os.chmod("ended", 0o755)
        job = self.use("pull_request", "worse.csv", command="./ended")
        self.assertEqual((job.status, job.outputs["verdict"]), (137, "error"))
        self.assertIn("ended with status 137", job.summary)

    def test_many_groups_fit_into_a_comment(self):
        names = ["model %d of many" % number for number in range(500)]
        table("base.csv", names)
        table("worse.csv", names, slower=1.3)
        job = self.use("pull_request", "worse.csv")
        body = self.hub.comments[0]["body"]
        self.assertLess(len(body), 65536)
        self.assertIn("The rest is left out here.", body)
        self.assertIn("Judged at commit", body)
        self.assertGreater(len(job.summary), len(body))


if __name__ == "__main__":
    with contextlib.redirect_stderr(sys.stdout):
        unittest.main(argv=sys.argv[:1])
