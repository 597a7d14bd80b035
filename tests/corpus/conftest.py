"""The projects and cases of the corpus are material: their tests are not ours."""

collect_ignore_glob = ["projects/*", "cases/*", "scanned/*", "hollow/*", "inefficiencies/*"]
