#!/usr/bin/env python3
"""Runs `scalelaw gate` in a job of GitHub Actions, and shows the outcome where people look.

action.yml beside this file calls it, with the inputs as variables GATE_*. It writes annotations to the log, a summary
to the page of the run and the outputs of the step. If a change is shown, it comments on the pull request. Later calls
edit that comment, also when the change is gone. The exit status is that of `scalelaw gate`: 0 fine, 1 worse or missing,
2 if the call or an input is wrong. A comment that cannot be written is told, and changes nothing else.

What stands in tables may come from anybody. It reaches the log only as annotations that `scalelaw gate` has escaped, or
where workflow commands are off, and it reaches Markdown without links and mentions. Python 3.7 is enough."""
import http.client
import json
import os
import pathlib
import re
import secrets
import shlex
import subprocess
import sys
import tempfile
import traceback
import urllib.parse
import urllib.request

COMMENT_LIMIT = 60_000  # GitHub takes 65,536 characters for a comment,
SUMMARY_LIMIT = 900_000  # and one MiB for the summary of a step.
NO_BREAK = "\u200b"  # A blank of no width.
NUMBER_OF_COMMENTS = 100  # per page
ERROR = "scalelaw: error: "  # begins a message that says why nothing was judged.
CHANGES = ("worse", "better", "missing", "no-fit")


class NoAnswer(Exception):
    """GitHub did not do what it was asked for; the text says why."""


# What the gate says.


class Outcome:
    """What one call of the gate left: its exit status, its streams, and its results if it judged anything."""

    def __init__(self, status, out, err, folder):
        self.status, self.out, self.err = status, out, err
        self.document = json.loads(text_of(folder / "gate.json")) if (folder / "gate.json").exists() else None
        self.markdown = text_of(folder / "gate.md") if self.document else ""
        if self.document is None and status < 2:
            self.status = 2
            self.err += ERROR + "no result was written; does the input 'arguments' hold --help or the like?"

    @property
    def verdict(self):
        return self.document["outcome"] if self.document else "error"

    @property
    def shows_change(self):
        """Whether any figure, of a group or of all together, is shown to differ. A group without runs or fit does, too."""
        groups = self.document["groups"]
        found = [group["verdict"] for group in groups] + [shared["verdict"] for shared in self.document["shared"]]
        found += [comparison["verdict"] for group in groups for comparison in group["comparisons"]]
        return any(verdict in CHANGES for verdict in found)

    @property
    def error(self):
        """The messages that say why nothing was judged."""
        messages = [line for line in self.err.split("\n") if line.startswith(ERROR)]
        return "\n".join(messages) or self.err.strip() or "scalelaw gate ended with status %d" % self.status


def text_of(path):
    return path.read_text(encoding="utf-8", errors="replace")


class BadInput(Exception):
    """An input of the action that cannot be; the text says which and why."""


def git(*words):
    """What git says in the working folder; None if it fails or is not there."""
    try:
        done = subprocess.run(["git", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def file_at(commit, path, token):
    """A file of the repository at a commit, as bytes; None if there is none. GitHub is asked where the clone lacks the
    commit."""
    if git("cat-file", "-e", commit + "^{commit}") is not None:
        return git("show", "%s:%s" % (commit, path))
    owner, _, name = os.environ.get("GITHUB_REPOSITORY", "").partition("/")
    data = ask(token, FILE, {"owner": owner, "name": name, "file": "%s:%s" % (commit, path)})
    blob = data["repository"]["object"]
    return blob["text"].encode() if blob else None


def places_of_settings():
    """Where settings may lie in the repository, from the working folder up to the root."""
    here, root = pathlib.Path.cwd(), pathlib.Path(os.environ.get("GITHUB_WORKSPACE") or ".").resolve()
    inside = here.relative_to(root) if root in here.parents else pathlib.Path()
    return [(folder / "scalelaw.toml").as_posix() for folder in (inside, *inside.parents)]


def settings_of_base(inputs, folder):
    """The option that has a pull request judged by the settings of its base revision, since its own could switch the gate
    off. Nothing for other events, and where the input 'arguments' names a file: that is for the workflow to protect."""
    path = os.environ.get("GITHUB_EVENT_PATH")
    pull = json.loads(text_of(pathlib.Path(path))).get("pull_request") if path else None
    if not pull or "--config" in inputs["arguments"]:
        return []
    places = places_of_settings()
    text = None
    try:
        for place in places:
            text = text or file_at(pull["base"]["sha"], place, inputs["token"])
    except (NoAnswer, KeyError, TypeError, AttributeError) as error:
        here = pathlib.Path.cwd()
        if any((parent / "scalelaw.toml").exists() for parent in [here, *here.parents][:len(places)]):
            raise BadInput("the settings of the base revision cannot be read: %s; check out with fetch-depth: 0" % error)
    settings = folder / "scalelaw.toml"
    settings.write_bytes(text or b"")
    return ["--config=" + str(settings)]


def call_of(inputs, folder):
    """The words of the call. Files are named behind '=', so that no name is taken for an option."""
    words = [inputs["command"], "gate", *settings_of_base(inputs, folder)]
    if inputs["baseline"]:
        words.append("--base=" + inputs["baseline"])
    if inputs["runs"]:
        words.append("--new=" + inputs["runs"])
    words += ["--format", "github"]
    for ending in ("json", "md", "xml"):
        words += ["--also", str(folder / ("gate." + ending))]
    try:
        return words + shlex.split(inputs["arguments"])
    except ValueError as error:
        raise BadInput("input 'arguments': %s in: %s" % (error, inputs["arguments"]))


def run_of(inputs, folder):
    """Calls `scalelaw gate`, which sees neither the token nor the other inputs."""
    if inputs["comment"] not in ("true", "false"):
        raise BadInput("input 'comment': expected true or false, found '%s'" % inputs["comment"])
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GATE_")}
    try:
        return subprocess.run(call_of(inputs, folder), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=environment)
    except OSError as error:
        raise BadInput("cannot run '%s': %s; install scalelaw, or give its path as the input 'command'"
                       % (inputs["command"], error.strerror))


def judge(inputs, folder):
    try:
        done = run_of(inputs, folder)
    except BadInput as error:
        return Outcome(2, "", ERROR + str(error), folder)
    status = done.returncode if done.returncode >= 0 else 128 - done.returncode  # Ended by a signal, as a shell says it.
    return Outcome(status, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"), folder)


# The log, the outputs and the summary of the step.


def command_data(text):
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def annotate(level, text):
    print("::%s title=scalelaw gate::%s" % (level, command_data(text)))


def show_log(outcome):
    """Prints the annotations, and everything else between two lines that switch workflow commands off and on."""
    annotation = re.compile(r"::(error|warning|notice) title=[^\r]*")
    lines = outcome.out.split("\n")
    print("\n".join(line for line in lines if annotation.fullmatch(line)))
    others = [line for line in lines if line and not annotation.fullmatch(line)]
    others += [line for line in outcome.err.split("\n") if line]
    if others:
        key = secrets.token_hex(16)  # Nobody can know it, so nothing in between can switch them on.
        print("\n".join(["::stop-commands::" + key, *others, "::%s::" % key]))
    if outcome.document is None:
        annotate("error", outcome.error)
    sys.stdout.flush()


def append(variable, text):
    """Appends to the file that GitHub names in a variable; outside of GitHub there is none."""
    if os.environ.get(variable):
        with open(os.environ[variable], "a", encoding="utf-8") as file:
            file.write(text)


def without_links(markdown):
    """Markdown in which GitHub finds no @name, #12, GH-12 or address, so that it tells nobody and links nothing."""
    return re.sub(r"(?i)@|#|:(?=//)|\bGH-|\bwww\.", lambda found: found.group() + NO_BREAK,
                  markdown.replace("&#8203;", NO_BREAK))


def fenced(text):
    """Text as it stands, in a block that it cannot close."""
    fence = "`" * max([3] + [len(run) + 1 for run in re.findall("`+", text)])
    return "%s\n%s\n%s\n" % (fence, text, fence)


def shortened(text, limit):
    """Text of at most so many bytes, cut at the end of a line."""
    data = text.encode("utf-8")
    if len(data) <= limit:
        return text
    kept = data[:limit].decode("utf-8", "ignore").rpartition("\n")[0]
    return kept + "\n\nThe rest is left out here. All of it is in gate.md of the folder that the output `results` names.\n"


def heading(title):
    return "### %s\n\n" % without_links(re.sub(r"([\\`*_{}\[\]<>|~&])", r"\\\1", " ".join(title.split())))


def summary_of(title, outcome):
    if outcome.document:
        return heading(title) + without_links(outcome.markdown) + "\n"
    return heading(title) + "**Nothing was judged.**\n\n" + fenced(outcome.error)


# The comment.


def ask(token, query, variables):
    """Asks GitHub's GraphQL interface, and returns the data of the answer. Nothing else here uses the network."""
    request = urllib.request.Request(
        os.environ.get("GITHUB_GRAPHQL_URL", "https://api.github.com/graphql"),
        data=json.dumps({"query": query, "variables": variables}).encode(),
        headers={"Authorization": "bearer " + token, "Content-Type": "application/json", "User-Agent": "scalelaw-gate"})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            document = json.loads(answer.read().decode())
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise NoAnswer(str(error))
    if document.get("errors"):
        raise NoAnswer("; ".join(error.get("message", "?") for error in document["errors"]))
    return document["data"]


FILE = """query($owner: String!, $name: String!, $file: String!) { repository(owner: $owner, name: $name) {
  object(expression: $file) { ... on Blob { text } } } }"""
COMMENTS = """query($pull: ID!, $number: Int!, $after: String) { node(id: $pull) { ... on PullRequest {
  comments(first: $number, after: $after) { nodes { id body viewerDidAuthor } pageInfo { hasNextPage endCursor } } } } }"""
ADD = "mutation($id: ID!, $body: String!) { addComment(input: {subjectId: $id, body: $body}) { clientMutationId } }"
EDIT = "mutation($id: ID!, $body: String!) { updateIssueComment(input: {id: $id, body: $body}) { clientMutationId } }"


def own_comment(token, pull, mark):
    """The comment that an earlier call wrote: by the same author, and beginning with the mark; None if there is none."""
    after = None
    while True:
        page = ask(token, COMMENTS, {"pull": pull, "number": NUMBER_OF_COMMENTS, "after": after})["node"]["comments"]
        for comment in page["nodes"]:
            if comment["viewerDidAuthor"] and comment["body"].startswith(mark):
                return comment["id"]
        if not page["pageInfo"]["hasNextPage"]:
            return None
        after = page["pageInfo"]["endCursor"]


def mark_of(title):
    """An invisible first line that tells the comments of several gates apart."""
    return "<!-- scalelaw gate: %s -->" % urllib.parse.quote(title, safe="").replace("-", "%2D")


def comment_of(title, outcome, commit):
    text = mark_of(title) + "\n" + heading(title)
    if not outcome.shows_change:
        text += "No change is shown any more.\n\n"
    server, repository, run = (os.environ.get(name, "") for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID"))
    end = "\n\nJudged at commit %s, in [this run](%s/%s/actions/runs/%s).\n" % (commit, server, repository, run)
    return shortened(text + without_links(outcome.markdown), COMMENT_LIMIT) + end


def keep_comment(inputs, outcome, pull):
    """Adds a comment if a change is shown, and edits the one that is there in any case."""
    body = comment_of(inputs["title"], outcome, pull["head"]["sha"])
    present = own_comment(inputs["token"], pull["node_id"], mark_of(inputs["title"]))
    if present:
        ask(inputs["token"], EDIT, {"id": present, "body": body})
    elif outcome.shows_change:
        ask(inputs["token"], ADD, {"id": pull["node_id"], "body": body})


def is_from_fork(pull):
    return (pull["head"]["repo"] or {}).get("full_name") != pull["base"]["repo"]["full_name"]


def comment(inputs, outcome):
    """Keeps the comment of the pull request that the job is of, if it is of any."""
    path = os.environ.get("GITHUB_EVENT_PATH")
    pull = json.loads(text_of(pathlib.Path(path))).get("pull_request") if path else None
    if not pull or outcome.document is None:
        return
    try:
        keep_comment(inputs, outcome, pull)
    except (NoAnswer, KeyError, TypeError) as error:  # The latter: an answer of another form.
        if is_from_fork(pull):
            annotate("notice", "No comment: a pull request of a fork gets no token that may write. The summary of the run has "
                     "the outcome.")
        else:
            annotate("warning", "No comment: GitHub says '%s'. The job needs the permission 'pull-requests: write'." % error)


def main():
    names = ("runs", "baseline", "arguments", "command", "comment", "token", "title")
    inputs = {name: os.environ.get("GATE_" + name.upper(), "") for name in names}
    folder = pathlib.Path(tempfile.mkdtemp(prefix="scalelaw-gate-", dir=os.environ.get("RUNNER_TEMP") or None))
    outcome = judge(inputs, folder)
    show_log(outcome)
    append("GITHUB_OUTPUT", "verdict=%s\nstatus=%d\nresults=%s\n" % (outcome.verdict, outcome.status, folder))
    append("GITHUB_STEP_SUMMARY", shortened(summary_of(inputs["title"], outcome), SUMMARY_LIMIT))
    if inputs["comment"] == "true":
        comment(inputs, outcome)
    return outcome.status


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    try:
        sys.exit(main())
    except Exception:  # Python would exit with 1, which says that runs are worse.
        traceback.print_exc()
        sys.exit(2)
