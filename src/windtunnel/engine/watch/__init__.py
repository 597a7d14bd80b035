"""Anomalies over the audit log, and the alerts that tell people of them."""
