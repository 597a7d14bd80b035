"""The keys of analyses."""

from pathlib import Path

import pytest

from windtunnel import config
from windtunnel.core.errors import UsageError


def load(tmp_path, user="", **environ):
    (tmp_path / "windtunnel").mkdir(exist_ok=True)
    (tmp_path / "windtunnel" / "config.toml").write_text(user)
    return config.load({"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), **environ}, operator=tmp_path / "none.toml")


def test_where_advisories_are_and_how_long_and_how_much_is_kept(tmp_path):
    usual = load(tmp_path)
    own = load(tmp_path, 'analysis_advisories = "/srv/osv"\nanalysis_hours = 2\nanalysis_cache_bytes = "1m"')
    given = load(tmp_path, WINDTUNNEL_ANALYSIS_HOURS="0.5", WINDTUNNEL_ANALYSIS_ADVISORIES="/srv/osv.zip", WINDTUNNEL_ANALYSIS_CACHE_BYTES="2m")

    assert [(one.analysis_advisories, one.analysis_hours, one.analysis_cache_bytes) for one in (usual, own, given)] == [
        (None, 24.0, 500 * 1024**2), (Path("/srv/osv"), 2.0, 1024**2), (Path("/srv/osv.zip"), 0.5, 2 * 1024**2)]


@pytest.mark.parametrize("line", ["analysis_hours = 0", "analysis_hours = true", "analysis_hours = nan", 'analysis_cache_bytes = "lots"', 'analysis_advisories = "osv"'])
def test_what_is_out_of_range_is_refused_by_name(tmp_path, line):
    with pytest.raises(UsageError, match=line.split()[0]):
        load(tmp_path, line)
