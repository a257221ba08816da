"""Random reports to the status servers of the released v2.3.0 manager and of ours: the same answers, the
same stored status. `reports.py --seed N --count N` posts more of them."""
from chance_reports import report
from reports import sorted_mistakes

SEED, COUNT = "neighbours", 150


def test_same_as_released(reported):
    assert reported.found == {}


def test_every_answer_is_met(reported):
    assert set(reported.codes) == {200, 403, 404, 413, 422}
    assert reported.codes[200] > COUNT / 5


def test_a_report_is_made_from_its_seed_and_number():
    assert [report(SEED, n) for n in range(300)] == [report(SEED, n) for n in range(300)]
    assert report(SEED, 1) != report(SEED, 2) != report("other", 2)


def test_only_the_order_of_mistakes_is_no_difference():
    assert sorted_mistakes({"message": "bad: [a, b]"}) == sorted_mistakes({"message": "bad: [b, a]"})
    assert sorted_mistakes({"message": "bad: [a, b]"}) != sorted_mistakes({"message": "bad: [a]"})
    assert sorted_mistakes({"code": 422, "message": "a"}) != sorted_mistakes({"code": 422, "message": "b"})
