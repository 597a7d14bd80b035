"""The evidence pack: what the audit log holds of a stretch of time, as pages and files that can be checked."""
