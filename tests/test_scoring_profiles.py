"""Profile files."""

import pytest

from scoring.profiles import DEFAULT_PROFILE, ProfileError, load_profile, profile_names


def test_three_profiles_come_with_the_program():
    assert set(profile_names()) == {"livek12-paper", "livek12-code", "k12vista"}
    for name in profile_names():
        profile = load_profile(name)
        assert profile.name == name
        assert profile.label == f"{name}@{profile.version}"
        assert profile.source and profile.notes


def test_the_default_has_the_constants_of_the_paper():
    profile = load_profile()
    assert profile.name == DEFAULT_PROFILE == "livek12-paper"
    assert (profile.process.tau, profile.process.w_p, profile.process.penalty) == (3, 0.5, "per_kind")
    assert (profile.length.factor, profile.length.tokens, profile.length.reference) == (0.15, 4096, "fixed")
    assert profile.outcome.multi_select == "subset_half"


def test_the_code_profile_departs_where_the_code_does():
    profile = load_profile("livek12-code")
    assert (profile.length.factor, profile.length.reference) == (0.1, "mean_of_models")
    assert profile.process.penalty == "any_error"
    assert profile.outcome.multi_select == "one_point_subset"
    assert profile.panel.aggregate == "mean"


def test_k12vista():
    assert load_profile("k12vista").process.protocol == "k12vista"


def test_own_profile_from_a_file(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("name: mine\nversion: 4\ntitle: T\nsource: S\nprocess: {tau: 2}\n", encoding="utf-8")
    profile = load_profile(str(path))
    assert profile.label == "mine@4"
    assert profile.process.tau == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: mine\nversion: 1\ntitle: T\nsource: S\ntau: 2\n", "tau"),
        ("name: mine\nversion: 0\ntitle: T\nsource: S\n", "version"),
        ("name: mine\nversion: 1\ntitle: T\nsource: S\nlength: {tokens: null}\n", "tokens"),
        ("- 1\n- 2\n", "file"),
        ("a: [", "YAML"),
    ],
)
def test_bad_profiles_are_named(tmp_path, text, said):
    path = tmp_path / "bad.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ProfileError, match=said):
        load_profile(str(path))


def test_unknown_profile_lists_the_known_ones():
    with pytest.raises(ProfileError) as error:
        load_profile("livek13")
    assert "livek12-paper" in error.value.hint
    assert error.value.exit_code == 2
