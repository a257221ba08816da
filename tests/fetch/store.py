"""moto's S3 server from PyPI, with authentication switched on: signatures and policies are checked."""
import hashlib
import json
import os
import re
import subprocess
import sys
import urllib.parse
import urllib.request
from pathlib import Path

from plane import answers, free_ports
from waiting import wait_for

PAGE = 10  # objects in a page of a listing
LISTED = Path(__file__).with_name("requirements.txt")


def environment(build):
    """The virtual environment with moto, made once; or a reason why there is none."""
    folder = Path(build, "venv-moto")
    mark = folder / "made"
    want = hashlib.sha256(LISTED.read_bytes() + sys.version.encode()).hexdigest()
    if not mark.exists() or mark.read_text() != want:
        for command in ([sys.executable, "-m", "venv", "--clear", folder],
                        [folder / "bin/python", "-m", "pip", "install", "-q", "-r", LISTED]):
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                return None, f"{' '.join(map(str, command))}: {(done.stderr or done.stdout).strip()[-300:]}"
        mark.write_text(want)
    return folder, None


class Store:
    def __init__(self, folder, log):
        port = free_ports(1)[0]
        self.url = f"http://127.0.0.1:{port}"
        env = dict(os.environ, MOTO_S3_DEFAULT_MAX_KEYS=str(PAGE))
        self.process = subprocess.Popen([folder / "bin/moto_server", "-H", "127.0.0.1", "-p", str(port)],
                                        stdout=log, stderr=log, env=env)
        wait_for("moto listens", lambda: answers(port), child=self.process)

    def stop(self):
        self.process.terminate()
        self.process.wait(30)

    def request(self, method, path, body=b"", service="s3", **headers):
        """As the administrator, while authentication is off: moto looks only for the service's name."""
        headers["Authorization"] = f"AWS4-HMAC-SHA256 Credential=admin/20260101/us-east-1/{service}/aws4_request"
        headers.setdefault("Content-Type", "application/octet-stream")
        call = urllib.request.Request(self.url + path, data=body or None, method=method, headers=headers)
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(call, timeout=60) as answer:
            return answer.read().decode()

    def action(self, service, **params):
        params.setdefault("Version", "2010-05-08")
        return self.request("POST", "/", urllib.parse.urlencode(params).encode(), service,
                            **{"Content-Type": "application/x-www-form-urlencoded"})

    def authenticate(self, on):
        self.request("POST", "/moto-api/reset-auth", b"0" if on else b"inf", **{"Content-Type": "text/plain"})

    def put(self, bucket, files):
        self.authenticate(False)
        self.request("PUT", f"/{bucket}")
        for key, data in files.items():
            self.request("PUT", f"/{bucket}/{urllib.parse.quote(key)}", data)
        self.authenticate(True)

    def put_parts(self, bucket, key, parts):
        """An object of several parts: its ETag is no MD5 of the whole."""
        self.authenticate(False)
        text = self.request("POST", f"/{bucket}/{key}?uploads")
        upload = re.search("<UploadId>(.*?)</UploadId>", text)[1]
        done = ""
        for i, data in enumerate(parts, 1):
            self.request("PUT", f"/{bucket}/{key}?partNumber={i}&uploadId={upload}", data)
            done += f"<Part><PartNumber>{i}</PartNumber><ETag>{hashlib.md5(data).hexdigest()}</ETag></Part>"
        body = f"<CompleteMultipartUpload>{done}</CompleteMultipartUpload>".encode()
        self.request("POST", f"/{bucket}/{key}?uploadId={upload}", body)
        self.authenticate(True)

    def user(self, name, *actions):
        """A user who may do these actions: the environment that names their key."""
        self.authenticate(False)
        self.action("iam", Action="CreateUser", UserName=name)
        text = self.action("iam", Action="CreateAccessKey", UserName=name)
        policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": actions, "Resource": "*"}]}
        self.action("iam", Action="PutUserPolicy", UserName=name, PolicyName="p", PolicyDocument=json.dumps(policy))
        self.authenticate(True)
        key = re.search("<AccessKeyId>(.*?)</AccessKeyId>", text)[1]
        secret = re.search("<SecretAccessKey>(.*?)</SecretAccessKey>", text)[1]
        return {"ENDPOINT": self.url, "ACCESS_KEY_ID": key, "SECRET_ACCESS_KEY": secret}

    def role(self, name, *actions):
        """Credentials of an assumed role: they come with a session token."""
        self.authenticate(False)
        trust = {"Version": "2012-10-17", "Statement": []}
        policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": actions, "Resource": "*"}]}
        text = self.action("iam", Action="CreateRole", RoleName=name, AssumeRolePolicyDocument=json.dumps(trust))
        arn = re.search("<Arn>(.*?)</Arn>", text)[1]
        self.action("iam", Action="PutRolePolicy", RoleName=name, PolicyName="p", PolicyDocument=json.dumps(policy))
        text = self.action("sts", Action="AssumeRole", RoleArn=arn, RoleSessionName="s", Version="2011-06-15")
        self.authenticate(True)
        found = {k: re.search(f"<{k}>(.*?)</{k}>", text)[1] for k in ("AccessKeyId", "SecretAccessKey", "SessionToken")}
        return {"ENDPOINT": self.url, "AWS_ACCESS_KEY_ID": found["AccessKeyId"],
                "AWS_SECRET_ACCESS_KEY": found["SecretAccessKey"], "AWS_SESSION_TOKEN": found["SessionToken"]}
