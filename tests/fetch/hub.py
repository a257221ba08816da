"""A small Hub: revisions, trees page by page, small files at once, large ones from another host by a
redirect, private repositories behind a token. As huggingface.co does it, with its words in errors."""
import hashlib
import json
from urllib.parse import parse_qs, unquote, urlsplit

from serving import Files, Server


def git_sha(data):
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


class Repo:
    def __init__(self, files, lfs=(), token=None):
        self.lfs, self.token, self.commits, self.names = set(lfs), token, {}, {}
        self.push(files)

    def push(self, files, name="main"):
        """A commit of these files, and the name that now stands for it."""
        text = repr(sorted(files.items())).encode()
        sha = hashlib.sha1(text).hexdigest()
        self.commits[sha] = dict(files)
        self.names[name] = sha
        return sha

    def find(self, revision):
        return revision if revision in self.commits else self.names.get(revision)


class Hub(Server):
    """`elsewhere`: what stands instead of its own address in the links to next pages."""

    def __init__(self, page=1000, context=None):
        self.repos, self.page, self.elsewhere = {}, page, None
        self.cdn = Files(host="127.0.0.2")
        super().__init__(context=context)

    def close(self):
        self.cdn.close()
        super().close()

    def add(self, kind, name, files, **kw):
        self.repos[kind, name] = repo = Repo(files, **kw)
        return repo

    def handle(self, request):
        url = urlsplit(request.path)
        parts = [unquote(p) for p in url.path.split("/")[1:]]
        fault = self.take_fault(url.path)
        if fault and fault.status:
            return self.reply(request, fault.status, b"no", fault.headers)
        if parts[0] == "api":
            return self.answer_api(request, parts[1], "/".join(parts[2:4]), parts[4], parts[5:], url.query)
        kind = "datasets" if parts[0] == "datasets" else "models"
        rest = parts[1:] if kind == "datasets" else parts
        return self.answer_file(request, kind, "/".join(rest[:2]), rest[3], "/".join(rest[4:]), fault)

    def deny(self, request, status, code, words):
        self.reply(request, status, json.dumps({"error": words}).encode(),
                   {"X-Error-Code": code, "X-Error-Message": words})

    def repo_of(self, request, kind, name):
        repo = self.repos.get((kind, name))
        sent = request.headers.get("Authorization", "")
        if repo and (not repo.token or sent == f"Bearer {repo.token}"):
            return repo
        self.deny(request, 401, "RepoNotFound", "Invalid username or password.")
        return None

    def answer_api(self, request, kind, name, what, rest, query):
        repo = self.repo_of(request, kind, name)
        if not repo:
            return None
        sha = repo.find("/".join(rest[:1]) if what == "revision" else rest[0])
        if not sha:
            return self.deny(request, 404, "RevisionNotFound", f"Invalid rev id: {'/'.join(rest)}")
        if what == "revision":
            return self.reply(request, 200, json.dumps({"id": name, "sha": sha}).encode())
        return self.answer_tree(request, repo, sha, query)

    def answer_tree(self, request, repo, sha, query):
        entries = [self.entry(repo, path, data) for path, data in sorted(repo.commits[sha].items())]
        folders = {p.rpartition("/")[0] for p in repo.commits[sha] if "/" in p}
        entries = [{"type": "directory", "oid": "0" * 40, "size": 0, "path": f} for f in folders] + entries
        start = int(parse_qs(query).get("cursor", ["0"])[0])
        headers = {"Content-Type": "application/json"}
        if start + self.page < len(entries):
            path = request.path.partition("&cursor")[0]
            headers["Link"] = f'<{self.elsewhere or self.url}{path}&cursor={start + self.page}>; rel="next"'
        self.reply(request, 200, json.dumps(entries[start:start + self.page]).encode(), headers)
        return None

    def entry(self, repo, path, data):
        entry = {"type": "file", "path": path, "size": len(data), "oid": git_sha(data)}
        if path in repo.lfs:
            entry["oid"] = git_sha(b"pointer" + data[:9])
            entry["lfs"] = {"oid": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 130}
        return entry

    def answer_file(self, request, kind, name, sha, path, fault):
        repo = self.repo_of(request, kind, name)
        if not repo:
            return None
        data = repo.commits.get(repo.find(sha) or "", {}).get(path)
        if data is None:
            return self.deny(request, 404, "EntryNotFound", "Entry not found")
        if path not in repo.lfs:
            return self.serve(request, data, f'"{git_sha(data)}"', fault)
        blob = "/" + hashlib.sha256(data).hexdigest()
        self.cdn.files[blob] = data
        return self.reply(request, 302, headers={"Location": f"{self.cdn.url}{blob}?sig=1",
                                                 "X-Linked-Size": str(len(data)), "X-Repo-Commit": sha})
