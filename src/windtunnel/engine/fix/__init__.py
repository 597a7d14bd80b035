"""From a failing project to a proven fix."""
