"""The virtual machine level: a kernel of its own around every run (see ``machine`` and ``inside/guest.py``)."""
