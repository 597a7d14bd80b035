"""``python -m windtunnel``."""

from windtunnel.cli.main import main

raise SystemExit(main())
