"""What the managers asked of the API server, from its audit log."""
import json

CREDENTIAL = "authentication.kubernetes.io/credential-id"  # which token, of those of one account


class Audit:
    """Reads on from where it stood; entries() has all of what came since it was made."""

    def __init__(self, plane, managers=()):
        self.path = plane.folder / "log/audit.log"
        self.credentials = plane.credentials
        self.users = {f"manager-{n}" for n in managers}
        self.offset = self.path.stat().st_size if self.path.exists() else 0
        self.seen = []

    def entries(self):
        if self.path.exists():
            with open(self.path, "rb") as log:
                log.seek(self.offset)
                text = log.read()
            end = text.rfind(b"\n") + 1  # the last line may be half written
            self.offset += end
            for line in text[:end].splitlines():
                entry = json.loads(line)
                for one in entry["user"].get("extra", {}).get(CREDENTIAL, []):
                    entry["user"]["username"] = self.credentials.get(one, entry["user"]["username"])
                if not self.users or entry["user"]["username"] in self.users:
                    self.seen.append(entry)
        return self.seen

    def writes(self, namespace=None, resource=None, name=None):
        """Writes that were done or refused, oldest first."""
        return [Write(e) for e in self.entries()
                if e["verb"] in ("create", "update", "patch", "delete")
                and "objectRef" in e
                and namespace in (None, e["objectRef"].get("namespace"))
                and resource in (None, e["objectRef"]["resource"])
                and name in (None, e["objectRef"].get("name"))]


class Write:
    def __init__(self, entry):
        ref = entry["objectRef"]
        self.verb, self.uri = entry["verb"], entry["requestURI"]
        self.namespace, self.resource = ref.get("namespace"), ref["resource"]
        self.name, self.sub = ref.get("name"), ref.get("subresource")
        self.group = ref.get("apiGroup", "")
        self.body = entry.get("requestObject") or {}
        self.code = entry["responseStatus"].get("code", 0)
        self.message = entry["responseStatus"].get("message", "")
        self.user = entry["user"]["username"]
        self.agent = entry.get("userAgent", "")
        self.at = entry["stageTimestamp"]

    @property
    def ok(self):
        return self.code < 300

    @property
    def applied(self):
        return self.verb == "patch" and "fieldManager=trainer" in self.uri

    def __repr__(self):
        sub = f"/{self.sub}" if self.sub else ""
        return f"{self.code} {self.verb} {self.resource}/{self.name}{sub} by {self.user}"
