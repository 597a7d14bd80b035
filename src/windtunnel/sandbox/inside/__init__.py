"""What runs inside a sandbox or on its threshold, with the standard library alone.

The files import each other by plain names: inside a sandbox they lie side by side in /run/windtunnel, and the
scripts that stay outside (``launch.py``, ``confine.py``) are started from this folder. Of all of them the package
imports ``notices`` alone, which needs no other.
"""
