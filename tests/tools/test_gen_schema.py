"""tools/gen-schema on a small API: what the CRD and the Go types say must both reach the tables."""
import copy
import json
import subprocess
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parents[2] / "tools/gen-schema"
GO = {
    "sigs.k8s.io/jobset@v0.12.0/api/jobset/v1alpha2/types.go": """package v1alpha2

import (
\tcorev1 "k8s.io/api/core/v1"
\tmetav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type Mode string

// JobSetSpec has a comment.
type JobSetSpec struct {
\t// Jobs too.
\tJobs []Job `json:"jobs,omitempty" patchStrategy:"merge,retainKeys" patchMergeKey:"name"`
\tMode Mode `json:"mode"`
\tCount *int32 `json:"count,omitempty"` //nolint
\tPod corev1.Pod `json:"pod,omitempty"`
}

type Job struct {
\tInner `json:",inline"`
\tLabels map[string]string `json:"labels,omitempty"`
\tSince metav1.Time `json:"since,omitempty,omitzero"`
}

type Inner struct {
\tName string `json:"name"`
}

type JobSetStatus struct {
\tReady bool `json:"ready,omitempty"`
}
""",
    "k8s.io/api@v0.36.3/core/v1/types.go": """package v1

import (
\t"k8s.io/apimachinery/pkg/api/resource"
)

type Pod struct {
\tMemory resource.Quantity `json:"memory,omitempty"`
\tHidden string `json:"-"`
}
""",
    "k8s.io/apimachinery@v0.36.3/pkg/apis/meta/v1/types.go": """package v1

type ObjectMeta struct {
\tName string `json:"name,omitempty"`
}
""",
}
QUANTITY = (r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|"
            r"([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$")
SPEC = {
    "type": "object",
    "required": ["mode"],
    "properties": {
        "jobs": {
            "type": "array", "maxItems": 4,
            "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
            "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "fixed"}],
            "items": {"type": "object", "required": ["name"], "properties": {
                "name": {"type": "string", "description": "left out", "maxLength": 9},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "since": {"type": "string", "format": "date-time"},
            }},
        },
        "mode": {"type": "string", "enum": ["A", "B"], "default": "A"},
        "count": {"type": "integer", "format": "int32", "minimum": 1},
        "pod": {"type": "object", "properties": {
            "memory": {"anyOf": [{"type": "integer"}, {"type": "string"}], "pattern": QUANTITY,
                       "x-kubernetes-int-or-string": True},
        }},
    },
}


def generate(root, change=lambda spec: None):
    for name, text in GO.items():
        path = root / "cache" / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    spec = copy.deepcopy(SPEC)
    change(spec)
    status = {"type": "object", "properties": {"ready": {"type": "boolean"}}}
    schema = {"openAPIV3Schema": {"properties": {"spec": spec, "status": status}}}
    crd = {"spec": {"versions": [{"name": "v1alpha2", "schema": schema}]}}
    (root / "crd.json").write_text(json.dumps(crd))
    (root / "out").mkdir()
    done = subprocess.run([TOOL, "--cache", root / "cache", "--out", root / "out", root / "crd.json"],
                          capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_tables(tmp_path):
    assert generate(tmp_path)[0] == 0
    jobset = (tmp_path / "out/jobset_gen.c").read_text()
    core = (tmp_path / "out/core_gen.c").read_text()
    meta = (tmp_path / "out/meta_gen.c").read_text()
    for line in [
        '.name = "jobs", .schema = &ty_schema_list_Job_by_name_ruled, '
        '.flags = TY_F_OMITZERO | TY_F_MERGE | TY_F_RETAIN, .patch_key = "name"',
        '.name = "mode", .schema = &ty_schema_Mode, .flags = TY_F_REQUIRED | TY_F_ZERO, '
        '.def = "\\"A\\""',
        '.name = "count", .schema = &ty_schema_int32_count }',
        '.name = "pod", .schema = &ty_schema_Pod, .flags = TY_F_ALWAYS',
        '.name = "name", .schema = &ty_schema_string_name, .flags = TY_F_REQUIRED | TY_F_ZERO',
        '.name = "since", .schema = &ty_schema_time, .flags = TY_F_OMITZERO',
        '.message = "fixed"',
        '.transition = true, .ok = ty_rule_unchanged_by_name',
        'list_keys_list_Job_by_name_ruled[] = { "name", NULL }',
    ]:
        assert line in jobset, line
    assert '.name = "memory", .schema = &ty_schema_quantity, .flags = TY_F_ALWAYS' in core
    assert "Hidden" not in core and "left out" not in jobset + meta
    assert 'enums_Mode[] = { "A", "B", NULL }' in meta
    assert ".has_min = true, .min = 1" in meta and ".metadata = true" in meta
    names = (tmp_path / "out/gen.h").read_text()
    assert "extern const struct ty_schema ty_schema_JobSetSpec;" in names


def edit(path, value):
    def change(spec):
        at = spec["properties"]
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = value
    return change


@pytest.mark.parametrize("change, why", [
    (edit(["mode", "x-kubernetes-validations"], [{"rule": "self != ''", "message": "m"}]),
     "no predicate for the rule"),
    (edit(["mode", "pattern"], "^x$"), "no C function for the pattern"),
    (edit(["mode", "x-kubernetes-new"], 1), "which this program does not know"),
    (edit(["more"], {"type": "string"}), "the CRD has ['more']"),
    (edit(["count", "format"], "int64"), "Go has int32, the CRD integer int64"),
    (edit(["pod", "properties", "memory", "pattern"], "^1$"), "no C function"),
])
def test_refuses(tmp_path, change, why):
    code, out = generate(tmp_path, change)
    assert code == 1 and why in out
