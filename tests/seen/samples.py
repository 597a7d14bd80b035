"""Things to look at, some of them with names that would like to be more than that."""

from windtunnel.core.scenario import Condition
from windtunnel.core.seen import CellState, HeatMap, Plot, SectionRow, SimulationReport

OK, SLOW, BROKEN, NOT_RUN = CellState.OK, CellState.SLOW, CellState.BROKEN, CellState.NOT_RUN
HOSTILE = "</title><script>document.title='owned'</script>\"'><img src=x onerror=alert(1)>\x1b[31m\u202e\ud800"
HEAT = HeatMap(rows=("calc.add", "net.fetch"), columns=("slow network", "disk full", "few descriptors"),
               cells=((OK, OK, NOT_RUN), (SLOW, BROKEN, OK)))


def report(**more):
    return SimulationReport(**{
        "target": "shop", "run": "r1", "seed": 7, "made": "2026-01-02T03:04:05+00:00", "heat": HEAT,
        "sections": (SectionRow(name="net.fetch", file="net.py", calls=12, broken=1, slow=1, seconds=0.0123,
                                blamed=("FAILURE_MODES:disk_full",)),
                     SectionRow(name="net.Server", file="net.py", skipped="needs an argument of an unknown type")),
        "plots": (Plot(name="roi", actual=(1.0, 1.5, None, 2.0), predicted=(None, 1.4, 1.6, 1.9, 2.1),
                       low=(None, 1.0, 1.2, 1.5, 1.7), high=(None, 1.8, 2.0, 2.3, 2.5), unit="points"),
                  Plot(name="security_score", actual=(0.5, 0.5))),
        "conditions": {"slow network": (
            Condition(name="NETWORK_LATENCY_MS", requested="200", measured="199.6", real=True),
            Condition(name="FAILURE_MODES:slow_disk", requested="yes", measured="", real=False, reason="no cgroups here"),
            Condition(name="FAILURE_MODES:clock_skew", requested="yes", measured="1.01", real=True, approximate=True))},
        "notes": ("2 sections were skipped",), **more})


def hostile_report():
    heat = HeatMap(rows=(HOSTILE,), columns=(HOSTILE,), cells=((BROKEN,),))
    condition = Condition(name=HOSTILE, requested=HOSTILE, measured=HOSTILE, real=False, reason=HOSTILE)
    return report(
        target=HOSTILE, run=HOSTILE, made=HOSTILE, heat=heat, notes=(HOSTILE,), conditions={HOSTILE: (condition,)},
        sections=(SectionRow(name=HOSTILE, file=HOSTILE, blamed=(HOSTILE,), skipped=HOSTILE),),
        plots=(Plot(name=HOSTILE, actual=(1.0, 2.0), unit=HOSTILE),))
