"""Process protocols; every number is worked by hand beside its test."""

import pytest

from scoring.process import (
    STEP_LABELS,
    ExamItem,
    KindVote,
    RootError,
    Step,
    direct_score,
    exam_scores,
    label_shares,
    process_points,
    question_exam_score,
    step_score,
    vote_kinds,
)
from scoring.profiles import ProcessRules

PAPER = ProcessRules()
CODE = ProcessRules(penalty="any_error")


def found(*kinds):
    return [RootError(kind, "q", "r") for kind in kinds]


def vote(present, errors=None):
    return KindVote(tuple(present), len(present) if errors is None else errors, 3, {})


class TestVote:
    def test_majority_of_three(self):
        # CIE: 2 of 3 critics, present. DRE: 1 of 3, absent. LAE: 0.
        result = vote_kinds([found("CIE"), found("CIE", "DRE"), found()])
        assert result.present == ("CIE",)
        assert result.votes == {"CIE": 2, "LAE": 0, "DRE": 1}

    def test_tie_is_no_majority(self):
        assert vote_kinds([found("LAE"), found()]).present == ()

    def test_a_kind_counts_once_a_critic(self):
        # one critic with three DRE errors is still one vote of three
        assert vote_kinds([found("DRE", "DRE", "DRE"), found(), found()]).present == ()

    def test_number_of_errors_is_what_a_majority_confirms(self):
        # 3, 1 and 0 errors: at least 1 by two of three, at least 2 by one of three → 1
        assert vote_kinds([found("CIE", "LAE", "DRE"), found("CIE"), found()]).errors == 1
        # 2 and 3 errors: both (more than half of two) confirm at least 2 → 2
        assert vote_kinds([found("CIE", "CIE"), found("CIE", "CIE", "DRE")]).errors == 2

    def test_no_readable_critic_is_no_result(self):
        assert vote_kinds([]) is None


class TestPaperFormulas:
    def test_process_points(self):
        # V = 12, tau = 3: two kinds cost 6 → 6. V = 5: two kinds cost 6 → max(0, -1) = 0.
        assert process_points(12, vote(["CIE", "DRE"]), PAPER) == 6
        assert process_points(5, vote(["CIE", "DRE"]), PAPER) == 0
        assert process_points(5, vote([]), PAPER) == 5
        # the kind counts, not how often: three errors of one kind cost 3 of 12
        assert process_points(12, vote(["CIE"], errors=3), PAPER) == 9

    def test_question_exam_score(self):
        # V = 12, O = 8, P = 9: ES = 0.5 · 9 · 8/12 + 0.5 · 8 = 3 + 4 = 7
        assert question_exam_score(12, 8, 9, 1, PAPER) == pytest.approx(7)

    def test_exam_scores(self):
        # A: V 12, O 12 · 2/3 = 8, one kind → P 9. P·O/V = 6,  ES = 0.5·6 + 0.5·8 = 7
        # B: V  5, O  5,           no error → P 5. P·O/V = 5,  ES = 5
        # C: V  3, O  0,           one kind → P 0. P·O/V = 0,  ES = 0
        # ΣV = 20: OCS = 100·13/20 = 65, PES = 100·11/20 = 55, OES = 100·12/20 = 60
        items = [ExamItem(12, 2 / 3, vote(["LAE"])), ExamItem(5, 1, vote([])), ExamItem(3, 0, vote(["DRE"]))]
        scores = exam_scores(items, PAPER)
        assert scores.ocs == pytest.approx(65)
        assert scores.pes == pytest.approx(55)
        assert scores.oes == pytest.approx(60)
        assert (scores.questions, scores.criticised) == (3, 3)

    def test_uncriticised_questions_stay_out_of_pes_and_oes(self):
        # OCS over both: 100·(10 + 0)/20 = 50; PES and OES over the first alone: 100
        scores = exam_scores([ExamItem(10, 1, vote([])), ExamItem(10, 0, None)], PAPER)
        assert (scores.ocs, scores.pes, scores.oes, scores.ocs_criticised) == (50, 100, 100, 100)
        assert scores.criticised == 1

    def test_nothing_gives_none_not_zero(self):
        scores = exam_scores([], PAPER)
        assert scores.ocs is None and scores.pes is None and scores.oes is None

    @pytest.mark.parametrize(("value", "fraction"), [(0, 1), (-1, 0), (5, 1.2), (5, -0.1)])
    def test_impossible_values_are_refused(self, value, fraction):
        with pytest.raises(ValueError, match="points"):
            exam_scores([ExamItem(value, fraction)], PAPER)


class TestCodeDepartures:
    def test_any_error_takes_all_process_points(self):
        assert process_points(12, vote([], errors=1), CODE) == 0
        assert process_points(12, vote(["CIE"], errors=0), CODE) == 12

    def test_more_than_one_error_takes_the_outcome_too(self):
        # one error: ES = 0.5·0 + 0.5·8 = 4; two errors: ES = 0
        assert question_exam_score(12, 8, 0, 1, CODE) == 4
        assert question_exam_score(12, 8, 0, 2, CODE) == 0

    def test_exam_scores(self):
        # A: V 10, O 10, 0 errors: P·O/V 10, ES 10.  B: V 10, O 10, 1 error: 0, ES 5.  C: V 10, O 10, 2 errors: 0, ES 0
        # ΣV 30: OCS keeps O: 100; PES = 100·10/30 = 33.33; OES = 100·15/30 = 50
        items = [ExamItem(10, 1, vote([], errors=n)) for n in (0, 1, 2)]
        scores = exam_scores(items, CODE)
        assert scores.ocs == 100
        assert scores.pes == pytest.approx(100 / 3)
        assert scores.oes == pytest.approx(50)


class TestK12Vista:
    def steps(self, *labels):
        return [Step("d", label, "r") for label in labels]

    def test_nine_labels(self):
        assert len(STEP_LABELS) == 9

    def test_step_score(self):
        # critic 1: 3 of 4 correct = 0.75; critic 2: 1 of 2 = 0.5; mean 0.625
        one = self.steps("correct", "correct", "calculation", "correct")
        two = self.steps("correct", "hallucination")
        assert step_score([one]) == 0.75
        assert step_score([one, two]) == 0.625

    def test_label_shares(self):
        # calculation: 1/4 by the first, 0 by the second → 0.125; hallucination: 0 and 1/2 → 0.25
        one = self.steps("correct", "correct", "calculation", "correct")
        shares = label_shares([one, self.steps("correct", "hallucination")])
        assert shares["calculation"] == 0.125
        assert shares["hallucination"] == 0.25
        assert sum(shares.values()) == pytest.approx(1)

    def test_nothing_read_is_none(self):
        assert step_score([]) is None
        assert label_shares([]) == {}
        with pytest.raises(ValueError, match="without steps"):
            step_score([[]])

    def test_direct_score_is_the_mean_over_sub_answers(self):
        # right, wrong, half: (1 + 0 + 0.5) / 3 = 0.5
        assert direct_score([1, 0, 0.5]) == 0.5
        assert direct_score([]) is None
