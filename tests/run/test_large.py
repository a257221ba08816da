"""Objects that push at the ceilings of memory: each is refused with a sentence, or its pod fails with one."""
import pytest
from runs import job


def refused(box, text, sentence):
    code, _, err = box.run(text)
    assert code == 1, err[-2000:]
    assert "this is a bug" not in err and sentence in err, err[-2000:]


def env(pairs):
    return ", env: [" + ", ".join(f"{{name: {n}, value: '{v}'}}" for n, v in pairs) + "]"


def test_variables_that_name_each_other(box):
    laughs = [("V0", "x" * 1000)] + [(f"V{i}", f"$(V{i - 1})" * 10) for i in range(1, 10)]
    refused(box, job("true", more=env(laughs)), "Argument list too long")


def test_a_variable_that_names_another_10000_times(box):
    refused(box, job("true", more=env([("A", "x" * 100000), ("B", "$(A)" * 10000)])), "Argument list too long")


def test_a_pod_beyond_what_a_process_can_be_given(box):
    refused(box, job("true", more=env([("A", "x" * 100000)] + [(f"B{i}", "$(A)$(A)") for i in range(1000)])),
            "take more than 64 MiB of memory")


def test_an_object_that_no_api_server_takes(box):
    refused(box, job("true", more=env([("A", "x" * 4000000)])), "Request entity too large: limit is 3145728 bytes")


def test_many_copies_of_a_large_pod(box):
    refused(box, job("true", nodes=200, more=env([("A", "x" * 1000000)])), "larger than 128 MiB")


@pytest.mark.parametrize("field", ["terminationMessagePath", "workingDir"])
def test_long_paths(box, field):
    refused(box, job("exit 1", more=f", {field}: /" + "x" * 1400000), "node failed")


def test_a_long_image(box):
    refused(box, job("exit 1").replace("image: none", "image: " + "x" * 1400000), "exit code 1")


def test_a_line_of_100_mb(box):
    refused(box, job("head -c 100000000 /dev/zero | tr '\\0' x; exit 3"), "exit code 3")


def test_a_file_of_empty_lines(box):
    refused(box, job("yes '' | head -c 3000000; exit 3"), "exit code 3")
