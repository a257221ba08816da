"""Archives whose bytes depend on nothing but names, modes and contents: sorted, one time, owned by root."""
import gzip
import io
import os
import tarfile
from pathlib import Path


def tar(folder, epoch, prefix=""):
    """The files below `folder` as the bytes of a tar archive; names begin with `prefix`."""
    out = io.BytesIO()
    folder = Path(folder)
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path in sorted(folder.rglob("*"), key=lambda p: p.relative_to(folder).as_posix()):
            info = archive.gettarinfo(path, prefix + path.relative_to(folder).as_posix())
            info.uid = info.gid = 0
            info.uname = info.gname = "root"
            info.mtime = epoch
            info.mode = 0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644
            if info.isreg():
                with open(path, "rb") as data:
                    archive.addfile(info, data)
            else:
                archive.addfile(info)
    return out.getvalue()


def gz(data):
    """Without the name and the time that gzip would note."""
    out = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=out, mode="wb", compresslevel=9, mtime=0) as packed:
        packed.write(data)
    return out.getvalue()
