"""Kept workspaces: made, used, compared, taken over and removed; each act asked of the policy and written down."""
