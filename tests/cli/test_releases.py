"""What the last release rendered is what this one renders, unless a case is listed here with the reason: then
docs/upgrade.md applies to the jobs of users, too, and the changelog tells them."""
import sys

import pytest
from program import ROOT, TRAINYARD

sys.path.insert(0, str(ROOT / "tests/golden"))
import releases  # noqa: E402

VERSION, LAST = releases.last()
# Not rendered by `render` any more, because no pod can come of it (B36); the operator renders it as before.
REFUSED = {"torch/torch-mig-slices", "torch/torch-zero-gpu", "torch/torch-zero-nodes", "torchtune/tune-qlora-single",
           "xgboost/xgb-gpu-of-runtime"}
CHANGED = {}  # case: why


def test_there_is_a_release():
    assert len(LAST) >= 180, VERSION


@pytest.mark.parametrize("case", sorted(LAST))
def test_rendered_as_by_the_last_release(case):
    now = releases.rendered(TRAINYARD, case)
    if case in REFUSED:
        assert now == {}
    elif case in CHANGED:
        assert now != LAST[case], f"{case} is listed as changed, and is not"
    else:
        assert now == LAST[case], f"{case} is rendered otherwise than by {VERSION}"
