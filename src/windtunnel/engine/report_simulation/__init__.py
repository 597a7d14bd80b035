"""The report of a simulation as one file of HTML that opens offline."""
